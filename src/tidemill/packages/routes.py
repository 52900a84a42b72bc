"""Packages over HTTP; what they share with all assets (files, lineage, deletion) is in the assets' own routes.

GET    /projects/{project}/packages                                    list (q, sort, cursor, mine, scene, state)
POST   /projects/{project}/packages                                    create
GET    /projects/{project}/packages/{package}
PATCH  /projects/{project}/packages/{package}                          description
DELETE /projects/{project}/packages/{package}                          (assets)
POST   /projects/{project}/packages/{package}/check                    what a recipe would come to, nothing made
GET    /projects/{project}/packages/{package}/versions
POST   /projects/{project}/packages/{package}/versions                 202: a version, being built
GET    /projects/{project}/packages/{package}/versions/{n}
DELETE /projects/{project}/packages/{package}/versions/{n}             (assets)
POST   /projects/{project}/packages/{package}/versions/{n}/copy        202: another version from its recipe
POST   /projects/{project}/packages/{package}/versions/{n}/build       202: builds a failed or stopped one again
POST   /projects/{project}/packages/{package}/versions/{n}/stop        202
GET    /projects/{project}/packages/{package}/versions/{n}/build       the workload
GET    /projects/{project}/packages/{package}/versions/{n}/export      a file to run elsewhere
GET    /projects/{project}/package-settings, PUT the same              owners only
"""
