import type { Command } from '../../model/commands.ts';
import { ENVIRONMENT, FILE } from './place.ts';

/** Steps that stop a release that the service does not allow, and what each does if the service does not answer. */

interface Gate extends Command {
  /** What happens if the service does not answer. */
  unanswered: string;
}

/** The gate in a pipeline, before the deployment. */
const STEP: Gate = {
  what: 'In a pipeline, before the deployment',
  text: `kosli assert artifact ${FILE} --artifact-type file --environment ${ENVIRONMENT}`,
  unanswered:
    'The client asks four times within about seven seconds, and then ends with code 1. So the pipeline stops: nothing is deployed that was not asked about. «--max-api-retries 10» lets it wait longer.',
};

/** The gate in a pod: the container of the application starts only after this one has ended with code 0. */
const CONTAINER: Gate = {
  what: 'In Kubernetes, before a container starts',
  text: [
    'initContainers:',
    '  - name: gate',
    '    image: ghcr.io/kosli-dev/cli:v2.43.1',
    `    args: [assert, artifact, --fingerprint, DIGEST-OF-THE-IMAGE, --environment, ${ENVIRONMENT}]`,
    '    envFrom: [{secretRef: {name: evidence}}]',
  ].join('\n'),
  unanswered:
    'The container does not start, and Kubernetes tries again with growing pauses. Pods that run already keep running. The secret «evidence» holds KOSLI_HOST, KOSLI_ORG and KOSLI_API_TOKEN.',
};

/** The gate for programs: what a webhook of the cluster, or any other program, asks. */
const REQUEST = ({ host, org }: { host: string; org: string }): Gate => ({
  what: 'In a program or a webhook of your own',
  text: [
    'fingerprint=$(sha256sum dist/app.tar | cut -d" " -f1)',
    'curl -sS --fail-with-body --max-time 5 -H "Authorization: Bearer $KOSLI_API_TOKEN" \\',
    `  "${host}/api/v2/asserts/${org}/fingerprint/$fingerprint?environment_name=${ENVIRONMENT}"`,
  ].join('\n'),
  unanswered:
    'The program decides: curl ends with an error. «compliant» of the answer is the verdict. A validating webhook of Kubernetes with «failurePolicy: Fail» then refuses pods, with «Ignore» it lets them in unchecked.',
});

export const gatesOf = (place: { host: string; org: string }): Gate[] => [STEP, CONTAINER, REQUEST(place)];
