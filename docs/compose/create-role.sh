#!/bin/sh
# PostgreSQL's image runs this once, when its volume is empty. The role has no right beyond its database.
set -e
psql --set ON_ERROR_STOP=1 --set password="$DATABASE_PASSWORD" --username postgres --dbname postgres <<'SQL'
CREATE ROLE waystation LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE waystation OWNER waystation;
REVOKE CONNECT ON DATABASE waystation FROM PUBLIC;
SQL
