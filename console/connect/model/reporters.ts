import type { Command } from '../../model/commands.ts';
import type { ReporterName } from './choices.ts';
import {
  ARTIFACT,
  CLIENT_VERSION,
  type ConnectPlace,
  ENVIRONMENT,
  exported,
  FILE,
  INSTALL,
  indented,
  POLICY,
} from './place.ts';

/** The commands that make an environment, and those that report what runs in it (docs/connect.md). */

const TYPES: Readonly<Record<ReporterName, string>> = {
  server: 'server',
  docker: 'docker',
  k8s: 'K8S',
  ecs: 'ECS',
  lambda: 'lambda',
};

/** Reads a key of the reader into the variable of the client, and names service and organization. */
export const keyCommand = (place: ConnectPlace): Command => ({
  what: 'Enter an API key, and name service and organization',
  text: [...exported(place), "printf 'API key: '; read -rs KOSLI_API_TOKEN; echo; export KOSLI_API_TOKEN"].join('\n'),
});

export const installCommand = (): Command => ({ what: 'Install the command-line client', text: INSTALL });

/** Makes the environment, and says what may run in it: only what a flow reported. */
export const environmentCommand = (reporter: ReporterName): Command => ({
  what: 'Create the environment and its policy',
  text: [
    `kosli create environment ${ENVIRONMENT} --type ${TYPES[reporter]}`,
    "cat > policy.yml <<'YAML'",
    '_schema: https://kosli.com/schemas/policy/environment/v1',
    'artifacts:',
    '  provenance:',
    '    required: true',
    'YAML',
    `kosli create policy ${POLICY} policy.yml`,
    `kosli attach-policy ${POLICY} --environment ${ENVIRONMENT}`,
  ].join('\n'),
});

/** A pod that reports every five minutes what runs in the cluster. It needs nothing but `kubectl`. */
const cluster = ({ host, org }: ConnectPlace): string[] => [
  'kubectl create namespace evidence',
  'kubectl -n evidence create secret generic evidence-key --from-literal=key="$KOSLI_API_TOKEN"',
  "kubectl -n evidence apply -f - <<'YAML'",
  'apiVersion: v1',
  'kind: ServiceAccount',
  'metadata:',
  '  name: reporter',
  '---',
  'apiVersion: rbac.authorization.k8s.io/v1',
  'kind: ClusterRole',
  'metadata:',
  '  name: evidence-reporter',
  'rules:',
  '  - apiGroups: [""]',
  '    resources: [pods, namespaces]',
  '    verbs: [get, list]',
  '---',
  'apiVersion: rbac.authorization.k8s.io/v1',
  'kind: ClusterRoleBinding',
  'metadata:',
  '  name: evidence-reporter',
  'roleRef:',
  '  apiGroup: rbac.authorization.k8s.io',
  '  kind: ClusterRole',
  '  name: evidence-reporter',
  'subjects:',
  '  - kind: ServiceAccount',
  '    name: reporter',
  '    namespace: evidence',
  '---',
  'apiVersion: batch/v1',
  'kind: CronJob',
  'metadata:',
  '  name: reporter',
  'spec:',
  "  schedule: '*/5 * * * *'",
  '  concurrencyPolicy: Forbid',
  '  jobTemplate:',
  '    spec:',
  '      backoffLimit: 0',
  '      template:',
  '        spec:',
  '          serviceAccountName: reporter',
  '          restartPolicy: Never',
  '          containers:',
  '            - name: reporter',
  `              image: ghcr.io/kosli-dev/cli:v${CLIENT_VERSION}`,
  `              args: [snapshot, k8s, ${ENVIRONMENT}]`,
  '              env:',
  ...indented(16, ['- name: KOSLI_HOST', `  value: '${host}'`, '- name: KOSLI_ORG', `  value: '${org}'`]),
  ...indented(16, ['- name: KOSLI_API_TOKEN', '  valueFrom: {secretKeyRef: {name: evidence-key, key: key}}']),
  'YAML',
];

/** Runs a report of the shell every minute, by cron, with the settings of a file that only its owner reads. */
const everyMinute = (place: ConnectPlace, command: string): string[] => [
  'umask 077',
  'cat > ~/.evidence <<SETTINGS',
  ...exported(place),
  'export KOSLI_API_TOKEN=$KOSLI_API_TOKEN',
  'SETTINGS',
  `job="* * * * * . ~/.evidence && $(command -v kosli) ${command} --quiet"`,
  '(crontab -l 2> /dev/null || true; echo "$job") | crontab -',
];

/** What each reporter calls. */
const SNAPSHOTS: Readonly<Record<ReporterName, string>> = {
  server: `snapshot path ${ENVIRONMENT} --name ${ARTIFACT} --path $PWD/${FILE}`,
  docker: `snapshot docker ${ENVIRONMENT}`,
  k8s: `snapshot k8s ${ENVIRONMENT}`,
  ecs: `snapshot ecs ${ENVIRONMENT}`,
  lambda: `snapshot lambda ${ENVIRONMENT}`,
};

const ABOUT: Readonly<Record<ReporterName, string>> = {
  server:
    'The path is where the deployed file lies; it can be a folder. A key of a service account that acts as snapshotter is enough.',
  docker:
    'On each docker host, as a user who may list its containers. A key of a service account that acts as snapshotter is enough.',
  k8s: 'Digests of images are compared. The flow has to report the image: «--artifact-type oci».',
  ecs: 'The client finds credentials of AWS in the environment. The role needs ecs:List* and ecs:Describe*.',
  lambda:
    'The client finds credentials of AWS in the environment. The role needs lambda:ListFunctions and lambda:GetFunctionConfiguration.',
};

export const reporterNote = (reporter: ReporterName): string => ABOUT[reporter];

/** The report itself, once, and then repeatedly where that needs no scheduler of a cloud. */
export function reporterCommands(reporter: ReporterName, place: ConnectPlace): Command[] {
  const once = { what: 'Report once', text: `kosli ${SNAPSHOTS[reporter]}` };
  switch (reporter) {
    case 'server':
    case 'docker':
      return [once, { what: 'Report every minute', text: everyMinute(place, SNAPSHOTS[reporter]).join('\n') }];
    case 'k8s':
      return [once, { what: 'Report every five minutes from inside the cluster', text: cluster(place).join('\n') }];
    case 'ecs':
    case 'lambda':
      return [once];
  }
}
