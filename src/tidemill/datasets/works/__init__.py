"""Long work on a dataset's version: imports, exports, preprocessing, looking for bad items.

Each is a row beside a workload. The workload's program reads and reports over the API with a token of its own; every
answer it gets is what the server has kept, so it may be killed at any moment and goes on from there.
"""
