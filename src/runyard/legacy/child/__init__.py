"""On the Python path of child processes: Python runs `sitecustomize` before anything else."""
