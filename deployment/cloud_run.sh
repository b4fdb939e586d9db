#!/usr/bin/env bash
# Deploy the server to Cloud Run.
#
# Usage: deployment/cloud_run.sh --image IMAGE [--project P] [--region R] [--service NAME] [--env NAME=VALUE]...
#                                [--secret NAME=SECRET:VERSION]... [--public] [--dry-run]
#
#   --image    an image that you built from deployment/Dockerfile and pushed to your registry
#   --env      a setting of the agent (`personalized-shopping settings` lists them); repeat it
#   --secret   a setting whose value lies in Secret Manager, e.g. GOOGLE_API_KEY=gemini-key:latest; repeat it
#   --public   let everybody call the service; without it callers need an identity that may invoke it
#   --dry-run  print the command instead of running it
set -euo pipefail

project=${GOOGLE_CLOUD_PROJECT:-}
region=${GOOGLE_CLOUD_LOCATION:-us-central1}
service=personalized-shopping
image=
access=--no-allow-unauthenticated
dry_run=
settings=()
secrets=()

usage() { sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
fail() { echo "cloud_run.sh: $1" >&2; exit 2; }
need_value() { [ "$#" -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value"; }

while [ "$#" -gt 0 ]; do
    case "$1" in
        --image) need_value "$@"; image=$2; shift 2 ;;
        --project) need_value "$@"; project=$2; shift 2 ;;
        --region) need_value "$@"; region=$2; shift 2 ;;
        --service) need_value "$@"; service=$2; shift 2 ;;
        --env) need_value "$@"; [[ $2 == *=* ]] || fail "--env wants NAME=VALUE, got $2"; settings+=("$2"); shift 2 ;;
        --secret) need_value "$@"; [[ $2 == *=*:* ]] || fail "--secret wants NAME=SECRET:VERSION, got $2"; secrets+=("$2"); shift 2 ;;
        --public) access=--allow-unauthenticated; shift ;;
        --dry-run) dry_run=1; shift ;;
        -h | --help) usage; exit 0 ;;
        *) fail "there is no option $1 (--help lists them)" ;;
    esac
done
[ -n "$image" ] || fail "--image is needed: build deployment/Dockerfile and push it first (see deployment/README.md)"
[ -n "$project" ] || fail "--project is needed (or the variable GOOGLE_CLOUD_PROJECT)"

command=(
    gcloud run deploy "$service"
    --image "$image" --project "$project" --region "$region" "$access"
    # One instance answers many conversations; the shop itself needs little, LiteLLM and ADK need the rest.
    --port 8080 --memory 1Gi --cpu 1 --cpu-boost --concurrency 40 --timeout 300
    # Without a database behind SESSION_SERVICE_URI a conversation lives in one instance: send its caller back there.
    --session-affinity --min-instances 0 --max-instances 4
    --startup-probe "httpGet.path=/healthz,initialDelaySeconds=2,periodSeconds=3,failureThreshold=20"
)
# gcloud parts the list at commas; ^##^ chooses a separator that no setting holds.
[ "${#settings[@]}" -eq 0 ] || command+=(--set-env-vars "^##^$(printf '%s##' "${settings[@]}" | sed 's/##$//')")
[ "${#secrets[@]}" -eq 0 ] || command+=(--set-secrets "$(IFS=,; echo "${secrets[*]}")")

if [ -n "$dry_run" ]; then
    printf '%q ' "${command[@]}"
    echo
    exit 0
fi
command -v gcloud >/dev/null || { echo "cloud_run.sh: gcloud is not on the PATH; --dry-run shows what would run" >&2; exit 3; }
exec "${command[@]}"
