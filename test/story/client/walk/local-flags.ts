import { FOLDER_FINGERPRINT, REDACTED } from './files.ts';

const EVALUATED_HERE = {
  policy: 'the client evaluates the policy itself',
  params: 'the client evaluates the policy itself',
  attestations: 'which of the answers the client puts into the input',
};
const ASKS_SONAR = 'how the client finds the analysis; its result arrives';
const AWS = {
  'aws-key-id': 'sent to AWS only',
  'aws-secret-key': 'sent to AWS only',
  'aws-region': 'sent to AWS only',
};

/** Flags that choose what the client reports. */
const chosen = (...flags: string[]) =>
  Object.fromEntries(flags.map((flag) => [flag, 'chooses what the client reports; what was chosen arrives']));

const provider = (name: string, owner: string) => ({
  [`${name}-base-url`]: `sent to ${name} only`,
  [`${name}-token`]: `sent to ${name} only`,
  [`${name}-${owner}`]: `sent to ${name} only`,
});

/** Flags that do not reach the service, by command; `*` stands for every command. A command alone does not reach it at all. */
export const LOCAL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '*': {
    help: 'prints the help and sends nothing',
    'dry-run': 'prints the request and sends nothing; a test runs it',
    output: 'the client formats the answer, the request is the same',
    'registry-username': 'sent to the container registry only',
    'registry-password': 'sent to the container registry only',
    'repo-root': 'where the client looks for the commit of --commit, which arrives',
    assert: 'the client chooses its exit status by the answer',
    'no-assert': 'the client chooses its exit status by the answer',
    'show-input': 'the client prints what it has read',
    'assume-yes': 'the client does not ask the person',
    watch: 'the client reports again after each change, until it is ended',
  },
  'evaluate trail': EVALUATED_HERE,
  'evaluate trails': EVALUATED_HERE,
  'diff snapshots': { 'show-unchanged': 'the client prints more of the answer' },
  'attest jira': {
    'jira-base-url': 'where the client asks for tickets; the address of a ticket arrives',
    'jira-username': 'sent to Jira only',
    'jira-api-token': 'sent to Jira only',
    'jira-pat': 'sent to Jira only',
    'jira-project-key': 'which tickets the client looks for; the tickets arrive',
    'jira-trailer': 'where the client looks for tickets; the tickets arrive',
    'ignore-branch-match': 'where the client looks for tickets; the tickets arrive',
  },
  'attest sonar': {
    'max-wait': 'how long the client waits for Sonar',
    'pull-request': ASKS_SONAR,
    'sonar-api-token': ASKS_SONAR,
    'sonar-branch': ASKS_SONAR,
    'sonar-ce-task-url': ASKS_SONAR,
    'sonar-project-key': ASKS_SONAR,
    'sonar-revision': ASKS_SONAR,
    'sonar-server-url': ASKS_SONAR,
    'sonar-working-dir': ASKS_SONAR,
  },
  'attest pullrequest github': provider('github', 'org'),
  'attest pullrequest gitlab': provider('gitlab', 'org'),
  'snapshot lambda': { ...AWS, ...chosen('function-names', 'function-names-regex', 'exclude', 'exclude-regex') },
  'snapshot ecs': {
    ...AWS,
    ...chosen('clusters', 'clusters-regex', 'services', 'services-regex', 'exclude', 'exclude-regex'),
    ...chosen('exclude-services', 'exclude-services-regex'),
  },
  'snapshot s3': {
    ...AWS,
    ...chosen('bucket', 'include', 'include-regex', 'exclude', 'exclude-regex'),
    'download-budget': 'how the client reads the bucket',
    'download-concurrency': 'how the client reads the bucket',
  },
  'snapshot k8s': {
    kubeconfig: 'how the client reaches the cluster',
    'config-file': 'where the client finds values of other flags',
    ...chosen('namespaces', 'namespaces-regex', 'exclude-namespaces', 'exclude-namespaces-regex'),
  },
  '': {
    version: 'prints the version and sends nothing',
    debug: 'prints more, the requests are the same',
    quiet: 'prints less, the requests are the same',
    'http-proxy': 'how the client reaches the service',
    'config-file': 'where the client finds values of other flags',
    'max-api-retries': 'how often the client repeats a request that has no answer',
    host: 'the address of the service; a test runs it',
    'api-token': 'the header of each request; a test runs it',
    org: 'a part of each address; a test runs it',
  },
};

const NO_REPLACEMENT =
  'asks a cloud at fixed addresses with TLS, so no local server can stand for it; environments-client.story.test.ts sends its report';
const OTHER_PROVIDER =
  'asks a provider that no small local server can stand for; the request to the service is that of github and gitlab';

/** Commands that do not reach the service. A test runs those that have a run, and sees no request. */
export const LOCAL_COMMANDS: Readonly<Record<string, string>> = {
  config: 'writes the settings of the client in the home folder',
  'snapshot azure': NO_REPLACEMENT,
  'snapshot cloud-run': NO_REPLACEMENT,
  'attest pullrequest azure': OTHER_PROVIDER,
  'attest pullrequest bitbucket': OTHER_PROVIDER,
  'assert pullrequest azure': OTHER_PROVIDER,
  'assert pullrequest bitbucket': OTHER_PROVIDER,
};

/** Texts that requests contain for the value of a flag, for flags of many commands. */
export const REACHES_AS: Readonly<Record<string, (value: string | null) => string[]>> = {
  'user-data': () => ['é'],
  'artifact-type': () => [FOLDER_FINGERPRINT],
  exclude: () => [FOLDER_FINGERPRINT],
  'redact-commit-info': () => [REDACTED],
};

export const isLocal = (command: string, flag: string): boolean =>
  LOCAL['*']?.[flag] !== undefined || LOCAL['']?.[flag] !== undefined || LOCAL[command]?.[flag] !== undefined;
