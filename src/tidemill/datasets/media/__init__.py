"""Looking into pictures, texts, sounds and films; nothing here knows of databases or servers."""
