import type { Run } from './drive.ts';
import { EXCLUDED, FOLDER, FOLDER_FINGERPRINT, OTHER_FINGERPRINT, OTHER_FOLDER } from './files.ts';

/** Runs that make the records that later runs need. Each list runs at once; the lists run one after another. */

const TRAIL = '/trails/{org}/walk/t1';

/** Where a report says it comes from. */
const ORIGIN = [
  ...['--repo-id', '17', '--repo-url', 'https://code.example/acme/walk', '--repository', 'acme/walk'],
  ...['--repo-provider', 'gitlab', '--commit', 'HEAD', '--repo-root', 'repo'],
];
const LINK = ['--external-url', 'log=https://log.example/1', '--external-fingerprint', `log=${'ab'.repeat(32)}`];

/** @param commit SHA-1 of the commit of the workspace's repository */
export const recordRuns = (commit: string): Run[][] => {
  const reaches = { commit: [commit] };
  return [
    [
      {
        args: ['create', 'flow', 'walk', '--description', 'Flow of the walk', '--template-file', 'empty.yml'],
        reaches: { 'template-file': ['version: 1'] },
        shown: '/flows/{org}/walk',
      },
      {
        args: ['create', 'flow', 'plain', '--use-empty-template'],
        reaches: { 'use-empty-template': ['version: 1'] },
        shown: '/flows/{org}/plain',
      },
      {
        args: ['create', 'flow', 'legacy', '--template', 'artifact,unit-test'],
        reaches: { template: ['unit-test'] },
        shown: '/flows/{org}/legacy',
      },
      {
        args: [
          ...['create', 'attestation-type', 'age', '--schema', 'schema.json', '--jq', '.age >= 18'],
          ...['--description', 'Old enough', '--summary', 'Age=.age'],
        ],
        reaches: { schema: ['"integer"'], jq: ['.age \\u003e= 18'] },
        hidden: ['jq'],
        shown: '/custom-attestation-types/{org}/age',
      },
      {
        args: ['create', 'attestation-type', 'height', '--summary-json', '[{"name":"Height","expression":".height"}]'],
        reaches: { 'summary-json': ['Height', '.height'] },
        shown: '/custom-attestation-types/{org}/height',
      },
      {
        args: ['create', 'control', 'CTL-1', '--name', 'Reviewed', '--description', 'By two people'],
        shown: '/controls/{org}/CTL-1',
      },
    ],
    [
      {
        args: [
          ...['begin', 'trail', 't1', '--flow', 'walk', '--description', 'Trail of the walk', ...LINK],
          ...['--origin-url', 'https://ci.example/t1', '--user-data', 'user-data.json', '--template-file', 'empty.yml'],
          ...[...ORIGIN, '--redact-commit-info', 'author'],
        ],
        reaches: { ...reaches, 'template-file': ['version: 1'] },
        shown: TRAIL,
        hidden: ['repo-provider'],
      },
    ],
    [
      {
        args: [
          ...['attest', 'artifact', FOLDER, '--artifact-type', 'dir', '--exclude', EXCLUDED, '--name', 'folder'],
          ...['--display-name', 'Folder of the walk', '--build-url', 'https://ci.example/b1', '--annotate', 'by=walk'],
          ...['--commit-url', 'https://code.example/c1', '--flow', 'walk', '--trail', 't1', ...LINK, ...ORIGIN],
          ...['--redact-commit-info', 'message'],
        ],
        reaches,
        hidden: ['annotate', 'external-url', 'external-fingerprint'],
        shown: `/artifacts/{org}/walk/fingerprint/${FOLDER_FINGERPRINT}`,
      },
      {
        args: [
          ...['report', 'artifact', 'named', '--fingerprint', 'cd'.repeat(32), '--flow', 'legacy', '--name', 'named'],
          ...['--build-url', 'https://ci.example/b2', '--commit-url', 'https://code.example/c2'],
          ...['--git-commit', 'HEAD', '--repo-root', 'repo'],
        ],
        reaches: { 'git-commit': [commit] },
        shown: `/artifacts/{org}/legacy/fingerprint/${'cd'.repeat(32)}`,
      },
      {
        args: [
          ...['report', 'artifact', OTHER_FOLDER, '--artifact-type', 'dir', '--exclude', EXCLUDED, '--flow', 'legacy'],
          ...['--build-url', 'https://ci.example/b3', '--commit-url', 'https://code.example/c3'],
          ...['--git-commit', 'HEAD', '--repo-root', 'repo'],
        ],
        reaches: {
          'git-commit': [commit],
          'artifact-type': [OTHER_FINGERPRINT],
          exclude: [OTHER_FINGERPRINT],
        },
        shown: `/artifacts/{org}/legacy/fingerprint/${OTHER_FINGERPRINT}`,
      },
      {
        args: [
          ...['attest', 'artifact', 'named', '--fingerprint', 'cd'.repeat(32), '--name', 'named', '--flow', 'walk'],
          ...['--trail', 't1', '--build-url', 'https://ci.example/b4', '--commit-url', 'https://code.example/c4'],
          ...['--commit', 'HEAD', '--repo-root', 'repo'],
        ],
        reaches,
        shown: `/artifacts/{org}/walk/fingerprint/${'cd'.repeat(32)}`,
      },
    ],
  ];
};
