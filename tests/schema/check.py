#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates specs with the JSON Schema that `rill schema` prints.

usage: check.py SCHEMA good SPEC...   each must be valid
       check.py SCHEMA bad SPEC...    each must be refused
Prints a line for each. Numbers are read as Rill reads them: for example, `1e-5` is a number, although PyYAML by itself
reads it as a text.
"""
import re
import sys

import jsonschema
import yaml


class Reader(yaml.SafeLoader):
    pass


Reader.yaml_implicit_resolvers = {}
for kind, pattern, first in (
        ("bool", r"^(?:true|false)$", "tf"),
        ("int", r"^[-+]?(?:0x[0-9a-fA-F]+|[0-9]+)$", "-+0123456789"),
        ("float", r"^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789")):
    Reader.add_implicit_resolver("tag:yaml.org,2002:" + kind, re.compile(pattern), list(first))
Reader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(loader.construct_scalar(node)))


def fault(validator, path):
    """Returns what is wrong with a file, or None if it is valid."""
    try:
        with open(path, encoding="utf-8") as file:
            spec = yaml.load(file, Reader)
    except (yaml.YAMLError, ValueError) as error:
        return str(error).split("\n", maxsplit=1)[0]
    error = jsonschema.exceptions.best_match(validator.iter_errors(spec))
    return f"{'.'.join(map(str, error.absolute_path))}: {error.message}"[:200] if error else None


def main():
    import json
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    good = sys.argv[2] == "good"
    for path in sys.argv[3:]:
        why = fault(validator, path)
        print(f"ok    {sys.argv[2]} {path}" if (why is None) == good else f"FAIL  {sys.argv[2]} {path}: {why or 'valid'}")


main()
