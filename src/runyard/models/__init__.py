"""Saving and loading models."""

from runyard.models.destination import refuse_destination
from runyard.models.exported import ExportedModel
from runyard.models.input_specs import with_input_specs
from runyard.models.loading import load_model
from runyard.models.result_file import read_result_file, write_result_file
from runyard.models.saving import SavedModelPath, save_models
from runyard.models.to_save import ModelToSave, models_to_save

__all__ = [
    "ExportedModel",
    "ModelToSave",
    "SavedModelPath",
    "load_model",
    "models_to_save",
    "read_result_file",
    "refuse_destination",
    "save_models",
    "with_input_specs",
    "write_result_file",
]
