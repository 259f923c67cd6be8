"""The store in a Neo4j database, Community or Enterprise; every statement lies in queries/."""
