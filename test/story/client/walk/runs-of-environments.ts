import type { Run } from './drive.ts';
import { EXCLUDED, FOLDER, FOLDER_FINGERPRINT } from './files.ts';

/** Environments, their reports from a machine of one's own, and everything that reads or changes them. */
export const environmentRuns = (): Run[][] => [
  [
    ...['server', 'docker', 'K8S', 'ECS', 'lambda', 'S3'].map((type) => ({
      args: ['create', 'environment', `walk-${type}`, '--type', type, '--description', `All of ${type}`],
      shown: `/environments/{org}/walk-${type}`,
    })),
    {
      args: [
        'create',
        'policy',
        'walk',
        'strict.yml',
        '--type',
        'env',
        '--description',
        'Walked',
        '--comment',
        'First',
      ],
      shown: '/policies/{org}/walk',
    },
  ],
  [
    {
      args: ['create', 'environment', 'all', '--type', 'logical', '--included-environments', 'walk-docker,walk-K8S'],
      reaches: { 'included-environments': ['walk-docker', 'walk-K8S'] },
      shown: '/environments/{org}/all',
    },
    {
      args: ['snapshot', 'path', 'walk-server', '--path', FOLDER, '--name', 'folder', '--exclude', EXCLUDED],
      reaches: { path: [FOLDER_FINGERPRINT] },
      shown: '/snapshots/{org}/walk-server/1',
    },
    {
      args: ['attach-policy', 'walk', '--environment', 'walk-server', '--environment', 'walk-docker'],
      shown: '/policies/{org}/walk',
    },
  ],
  [
    {
      args: ['join', 'environment', '--logical', 'all', '--physical', 'walk-server'],
      shown: '/environments/{org}/all',
    },
    {
      args: [
        ...['allow', 'artifact', FOLDER, '--artifact-type', 'dir', '--exclude', EXCLUDED],
        ...['--environment', 'walk-server', '--reason', 'known to the walk'],
      ],
      hidden: ['environment'],
      shown: '/allowlists/{org}/walk-server',
    },
    {
      args: [
        'allow',
        'artifact',
        'named',
        '--fingerprint',
        'cd'.repeat(32),
        '--environment',
        'walk-docker',
        '--reason',
        'named',
      ],
      hidden: ['environment'],
      shown: '/allowlists/{org}/walk-docker',
    },
  ],
  [
    {
      args: ['snapshot', 'paths', 'walk-server', '--paths-file', 'paths.yml'],
      reaches: { 'paths-file': ['client', 'evidence'] },
      shown: '/snapshots/{org}/walk-server/-1',
    },
  ],
  [
    {
      args: ['snapshot', 'server', 'walk-server', '--paths', FOLDER, '--exclude', EXCLUDED],
      reaches: { paths: [FOLDER] },
      hidden: ['paths'],
      shown: '/snapshots/{org}/walk-server/-1',
    },
  ],
  [
    { args: ['get', 'environment', 'walk-server'] },
    {
      args: [
        ...['list', 'environments', '--name', 'walk', '--page', '1', '--page-limit', '3', '--sort', 'name'],
        ...['--sort-direction', 'desc', '--type', 'server', '--tag', 'team:walk'],
      ],
      reaches: { page: ['page=1'], 'page-limit': ['per_page=3'] },
    },
    { args: ['list', 'environments', '--space-id', 'none'], reaches: { 'space-id': ['space_id=none'] } },
    { args: ['get', 'snapshot', 'walk-server'] },
    {
      args: ['list', 'snapshots', 'walk-server', '--interval', '1..3', '--page', '1', '--page-limit', '2', '--reverse'],
      reaches: { page: ['page=1'], 'page-limit': ['per_page=2'], reverse: ['reverse=true'] },
    },
    {
      args: [
        ...['log', 'environment', 'walk-server', '--start', '1', '--end', 'NOW', '--page', '1', '--page-limit', '2'],
        ...['--reverse', '--repo', 'acme/walk'],
      ],
      reaches: { start: ['1'], page: ['page=1'], 'page-limit': ['per_page=2'], reverse: ['reverse=true'] },
    },
    { args: ['log', 'environment', 'walk-server', '--interval', '1..2'] },
    {
      args: ['log', 'environment', 'walk-server', '--start-ts', '1.5', '--end-ts', '4102444800.5'],
    },
    { args: ['diff', 'snapshots', 'walk-server#1', 'walk-server#2', '--show-unchanged'] },
    { args: ['assert', 'snapshot', 'walk-docker'], exit: 1, prints: /./ },
    { args: ['get', 'policy', 'walk'] },
    { args: ['list', 'policies'] },
    {
      args: [
        ...[
          'assert',
          'artifact',
          FOLDER,
          '--artifact-type',
          'dir',
          '--exclude',
          EXCLUDED,
          '--environment',
          'walk-server',
        ],
      ],
      prints: /Environment: walk-server/,
    },
    { args: ['assert', 'artifact', '--fingerprint', FOLDER_FINGERPRINT, '--policy', 'walk'], prints: /^COMPLIANT/ },
    {
      args: ['assert', 'artifact', '--fingerprint', FOLDER_FINGERPRINT, '--flow', 'walk'],
      exit: 1,
      prints: /NON-COMPLIANT[\s\S]*sbom +sbom +COMPLETE +true/,
    },
  ],
  [
    { args: ['detach-policy', 'walk', '--environment', 'walk-docker'], shown: '/environments/{org}/walk-docker' },
    { args: ['rename', 'environment', 'walk-S3', 'walk-buckets'], shown: '/environments/{org}/walk-buckets' },
  ],
];
