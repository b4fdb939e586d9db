"""``python -m …skills.shipped`` writes the files of the shipped skills, and the JSON Schema of the format."""

from personalized_shopping.shared_libraries.skills.build.schema import SCHEMA_FILE, schema_bytes
from personalized_shopping.shared_libraries.skills.runtime import open_runtime
from personalized_shopping.shared_libraries.skills.shipped.making import write_shipped

if __name__ == "__main__":
    SCHEMA_FILE.write_bytes(schema_bytes())
    for changed in write_shipped(open_runtime("monty")):
        print(f"changed: {changed.name}")
