"""The pure core: values, classes, policies, operators, and nodes that remember where they came from."""
