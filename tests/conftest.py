"""What every test can ask for, and how hypothesis runs: no deadline, since other work shares the machine."""

from hypothesis import settings

settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")

pytest_plugins = ("tests.neo4j_fixture",)
