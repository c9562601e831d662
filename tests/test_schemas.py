"""Our schemas are for anybody's validator: the two that Python has most of take each of them, and agree."""

import json
from pathlib import Path

import fastjsonschema
import jsonschema
import pytest

ROOT = Path(__file__).parent.parent
SCHEMAS = sorted(path for folder in ("docs", "npudoctor") for path in (ROOT / folder).rglob("*.schema.json"))


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda path: path.name)
@pytest.mark.parametrize("nothing", [None, [], 1])
def test_both_validators_take_it_and_refuse_what_it_is_not_for(schema, nothing):
    content = json.loads(schema.read_text())
    validator = jsonschema.validators.validator_for(content)
    validator.check_schema(content)
    allowed = validator(content).is_valid(nothing)
    if allowed:
        fastjsonschema.compile(content)(nothing)
    else:
        with pytest.raises(fastjsonschema.JsonSchemaValueException):
            fastjsonschema.compile(content)(nothing)


def test_the_plan_that_the_docs_show_is_one_for_both():
    schema = json.loads((ROOT / "docs/plan.schema.json").read_text())
    plan = json.loads((ROOT / "docs/plan.example.json").read_text())
    jsonschema.validate(plan, schema)
    fastjsonschema.compile(schema)(plan)
