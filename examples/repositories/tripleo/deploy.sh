#!/bin/sh
# The order of -e is the order of merging: later files win.
openstack overcloud deploy --templates \
  -e /home/stack/config/environments/network.yaml \
  -e /home/stack/config/environments/storage.yaml \
  -e /home/stack/config/site.yaml
