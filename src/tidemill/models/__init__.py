"""From labels to models: manifests of algorithms, training from a dataset, facts of models, evaluations, the catalogue,
auto-annotation, and the loop of them all."""
