#!/bin/sh
# Makes two certificate authorities and what they sign, valid for a year:
#   cluster-ca.pem   signs server.pem, which the parts of the server show to clients and to each other
#   client-ca.pem    signs client.pem, which each client must show
# Two, so that a client's certificate opens no port between the parts of the server.
# Usage: make-certificates.sh FOLDER [NAME..]    names and addresses of the server; default: temporal, localhost, 127.0.0.1
set -eu
folder=$1
shift
[ $# -gt 0 ] || set -- temporal localhost 127.0.0.1
mkdir -p "$folder"
cd "$folder"
umask 077

names=
for name in "$@"; do
  case $name in
  *[!0-9.]*) names="$names,DNS:$name" ;;
  *) names="$names,IP:$name" ;;
  esac
done

authority() { # file, name
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj "/CN=$2" \
    -addext basicConstraints=critical,CA:TRUE -keyout "$1-key.pem" -out "$1.pem"
}

signed() { # file, authority, name, extensions
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$3" -keyout "$1-key.pem" -out "$1.csr"
  printf '%s\n' "$4" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2-key.pem" -CAcreateserial -days 365 -extfile "$1.ext" -out "$1.pem"
  rm "$1.csr" "$1.ext"
}

authority cluster-ca "Temporal cluster"
authority client-ca "Temporal clients"
signed server cluster-ca "$1" "subjectAltName=${names#,}"
signed client client-ca client "extendedKeyUsage=clientAuth"
