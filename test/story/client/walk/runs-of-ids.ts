import type { Run } from './drive.ts';

/** Ids that the service gave to records of earlier runs. */
export interface Ids {
  attestation: string;
  repo: string;
  /** Two keys of the service account. */
  keys: readonly [string, string];
}

/** Commands that name a record by its id, and then those that end records. */
export const idRuns = ({ attestation, repo, keys: [first, second] }: Ids): Run[][] => [
  [
    { args: ['get', 'attestation', '--attestation-id', attestation], prints: /sbom/ },
    { args: ['get', 'repo', '--repo-id', repo], prints: /acme\/walk/ },
    { args: ['tag', 'repo', '--repo-id', repo, '--set', 'owner=walker'], shown: '/repos/{org}?tag=owner:walker' },
    { args: ['get', 'api-key', first, '--service-account', 'robot'], prints: new RegExp(first) },
    {
      args: [
        ...['rotate', 'api-key', second, '--service-account', 'robot', '--expires-at', '4102444800'],
        ...['--grace-period-hours', '3'],
      ],
      reaches: { 'grace-period-hours': ['3'] },
    },
  ],
  [
    { args: ['delete', 'api-key', first, '--service-account', 'robot', '--assume-yes'] },
    { args: ['rename', 'flow', 'plain', 'renamed'], shown: '/flows/{org}/renamed' },
    { args: ['archive', 'flow', 'legacy'] },
    { args: ['archive', 'environment', 'walk-lambda'] },
  ],
  [{ args: ['delete', 'service-account', 'robot', '--assume-yes'] }],
];
