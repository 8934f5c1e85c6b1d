import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen, portOf } from '#infra/local/ports.ts';

/** A server that stands for the services that the client asks before it reports: one pull request, one ticket, one container. */
export interface ForeignServices {
  url: string;
  stop(): Promise<void>;
}

const DIGEST = 'ef'.repeat(32);
/** Address of the pull request. */
const PULL_REQUEST = 'https://code.example/pull/1';

const PULL = { number: 1, title: 'Walk', url: PULL_REQUEST, headRefName: 'walk', baseRefName: 'main', state: 'MERGED' };
const AT = '2026-01-02T03:04:05Z';
const NOTHING_MORE = { hasNextPage: false, endCursor: '' };
const GITHUB = {
  data: {
    repository: {
      object: {
        associatedPullRequests: {
          nodes: [
            {
              ...{ ...PULL, repository: { name: 'walk', owner: { login: 'acme' } }, createdAt: AT, mergedAt: AT },
              author: { login: 'ann' },
              commits: { nodes: [], pageInfo: NOTHING_MORE },
              reviews: { nodes: [], pageInfo: NOTHING_MORE },
            },
          ],
        },
      },
    },
  },
};
const POD = {
  metadata: { name: 'web-1', namespace: 'web', creationTimestamp: AT },
  status: {
    phase: 'Running',
    startTime: AT,
    containerStatuses: [{ name: 'web', image: 'web:1', imageID: `registry.example/web@sha256:${DIGEST}`, ready: true }],
  },
};
const FUNCTION = {
  FunctionName: 'walk-function',
  CodeSha256: Buffer.from(DIGEST, 'hex').toString('base64'),
  LastModified: '2026-01-02T03:04:05.000+0000',
  PackageType: 'Zip',
};
const CLUSTER = 'arn:aws:ecs:eu-west-1:1:cluster/walk';
const TASK = {
  taskArn: 'arn:aws:ecs:eu-west-1:1:task/walk/1',
  clusterArn: CLUSTER,
  group: 'service:web',
  lastStatus: 'RUNNING',
  startedAt: 1767323045,
  containers: [{ name: 'web', image: 'web:1', imageDigest: `sha256:${DIGEST}`, lastStatus: 'RUNNING' }],
};
const OBJECTS = `<?xml version="1.0"?><ListBucketResult><Name>walk</Name><KeyCount>1</KeyCount><IsTruncated>false</IsTruncated>
<Contents><Key>site/index.html</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>"1"</ETag><Size>4</Size></Contents></ListBucketResult>`;

/** Answers by address and, for ECS, by operation. The first that matches is given; a text is sent as it is. */
const ANSWERS: readonly (readonly [RegExp, unknown])[] = [
  [/^GET \/rest\/api\/2\/issue\/(\w+-\d+)/, { id: '1', key: 'WALK-1', fields: { summary: 'A ticket of the walk' } }],
  [/^GET \/api\/v4\/.*\/merge_requests\/1\/approvals/, { approved_by: [{ user: { username: 'bob' } }] }],
  [/^GET \/api\/v4\/.*\/merge_requests\/1\/(commits|approval_state)/, []],
  [
    /^GET \/api\/v4\/.*\/commits\/\w+\/merge_requests/,
    [
      {
        iid: 1,
        web_url: PULL_REQUEST,
        state: 'merged',
        title: 'Walk',
        created_at: AT,
        merged_at: AT,
        author: { username: 'ann' },
      },
    ],
  ],
  [/^POST \/api\/graphql/, GITHUB],
  [/^GET \/api\/v3\//, [{ number: 1, html_url: PULL_REQUEST, state: 'closed' }]],
  [
    /^GET \/api\/ce\/task/,
    {
      task: {
        id: 'T1',
        status: 'SUCCESS',
        analysisId: 'A1',
        componentKey: 'walk',
        componentName: 'Walk',
        branch: 'main',
      },
    },
  ],
  [
    /^GET \/api\/project_analyses\/search/,
    { paging: { total: 1 }, analyses: [{ key: 'A1', date: '2026-01-02T03:04:05+0000', revision: 'walked' }] },
  ],
  [/^GET \/api\/qualitygates\/project_status/, { projectStatus: { status: 'OK', conditions: [] } }],
  [/^GET \/api\/components\/show/, { component: { key: 'walk', name: 'Walk' } }],
  [
    /^GET \/api\/project_pull_requests\/list/,
    {
      pullRequests: [
        {
          key: '7',
          branch: 'walk',
          analysisDate: '2026-01-02T03:04:05+0000',
          status: { qualityGateStatus: 'OK' },
          commit: { sha: 'walked' },
        },
      ],
    },
  ],
  [
    /^GET \/api\/v1\/namespaces\/?(\?|$)/,
    { kind: 'NamespaceList', apiVersion: 'v1', items: [{ metadata: { name: 'web' } }] },
  ],
  [/^GET \/api\/v1\/.*pods/, { kind: 'PodList', apiVersion: 'v1', items: [POD] }],
  [
    /^GET \/v[\d.]+\/containers\/json/,
    [{ Id: 'c1', Names: ['/web'], Image: 'web:1', ImageID: `sha256:${DIGEST}`, State: 'running', Created: 1767323045 }],
  ],
  [
    /^GET \/v[\d.]+\/(images|containers)\/.*json/,
    { Id: `sha256:${DIGEST}`, RepoDigests: [`registry.example/web@sha256:${DIGEST}`], RepoTags: ['web:1'] },
  ],
  [/^GET \/2015-03-31\/functions\/walk-function\/configuration/, FUNCTION],
  [/^GET \/2015-03-31\/functions/, { Functions: [FUNCTION] }],
  [/ListClusters$/, { clusterArns: [CLUSTER] }],
  [/DescribeClusters$/, { clusters: [{ clusterArn: CLUSTER, clusterName: 'walk', status: 'ACTIVE' }] }],
  [/ListServices$/, { serviceArns: ['arn:aws:ecs:eu-west-1:1:service/walk/web'] }],
  [/DescribeServices$/, { services: [{ serviceName: 'web', clusterArn: CLUSTER }] }],
  [/ListTasks$/, { taskArns: [TASK.taskArn] }],
  [/DescribeTasks$/, { tasks: [TASK] }],
  [/^GET \/walk\/?\?/, OBJECTS],
  [/^GET \/walk\/site/, 'site'],
];

/** Starts the server. It answers `{}` to what it does not know. */
export async function startForeignServices(): Promise<ForeignServices> {
  const server = createServer(async (asked: IncomingMessage, answer) => {
    await text(asked);
    const target = String(asked.headers['x-amz-target'] ?? '');
    const what = `${asked.method} ${asked.url} ${target}`.trim();
    const found = ANSWERS.find(([pattern]) => pattern.test(what))?.[1] ?? {};
    answer.setHeader('content-type', typeof found === 'string' ? 'application/xml' : 'application/json');
    answer.end(typeof found === 'string' ? found : JSON.stringify(found));
  });
  await listen(server, 0, '127.0.0.1');
  return { url: `http://127.0.0.1:${portOf(server)}`, stop: () => close(server) };
}
