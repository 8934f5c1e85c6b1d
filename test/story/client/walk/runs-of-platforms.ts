import type { Run } from './drive.ts';

/** Reports of what runs on a platform. The client asks a server that stands for the platform. */
export const platformRuns = (foreign: string): Run[] => {
  const aws = ['--aws-key-id', 'key', '--aws-secret-key', 'secret', '--aws-region', 'eu-west-1'];
  const env = {
    AWS_ENDPOINT_URL: foreign,
    AWS_S3_FORCE_PATH_STYLE: 'true',
    DOCKER_HOST: foreign.replace('http', 'tcp'),
  };
  return [
    {
      args: ['snapshot', 'lambda', 'walk-lambda', ...aws, '--function-names', 'walk-function'],
      env,
      shown: '/snapshots/{org}/walk-lambda/1',
    },
    {
      args: ['snapshot', 'ecs', 'walk-ECS', ...aws, '--clusters', 'walk'],
      env,
      reaches: { clusters: ['walk'] },
      shown: '/snapshots/{org}/walk-ECS/1',
    },
    { args: ['snapshot', 's3', 'walk-S3', ...aws, '--bucket', 'walk'], env, shown: '/snapshots/{org}/walk-S3/1' },
    {
      args: ['snapshot', 'k8s', 'walk-K8S', '--kubeconfig', 'kube.yml', '--namespaces', 'web'],
      reaches: { namespaces: ['web'] },
      shown: '/snapshots/{org}/walk-K8S/1',
    },
    { args: ['snapshot', 'docker', 'walk-docker'], env, shown: '/snapshots/{org}/walk-docker/1' },
  ];
};

/** @param foreign address of the server that stands for the providers */
export const assertPullRequestRuns = (foreign: string): Run[] => {
  const change = ['--commit', 'HEAD', '--repository', 'walk'];
  return [
    {
      args: [
        'assert',
        'pullrequest',
        'github',
        ...change,
        '--github-org',
        'acme',
        '--github-token',
        't',
        '--github-base-url',
        foreign,
      ],
      local: true,
    },
    {
      args: [
        'assert',
        'pullrequest',
        'gitlab',
        ...change,
        '--gitlab-org',
        'acme',
        '--gitlab-token',
        't',
        '--gitlab-base-url',
        foreign,
      ],
      local: true,
    },
  ];
};
