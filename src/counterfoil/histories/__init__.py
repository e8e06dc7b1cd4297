"""A message list, looked at before it is replayed: is it fit to go on from?"""
