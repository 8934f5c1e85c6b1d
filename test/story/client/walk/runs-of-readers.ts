import type { Run } from './drive.ts';
import { FOLDER_FINGERPRINT } from './files.ts';

const TRAIL_BY_POLICY = [
  ...['t1', '--flow', 'walk', '--attestations', 'walk.sbom', '--policy', 'allow.rego', '--params', '{}'],
];

/** Commands that read what the other runs have made. */
export const readerRuns = (commit: string): Run[] => [
  { args: ['get', 'flow', 'walk'] },
  {
    args: ['list', 'flows', '--name', 'WALK', '--ignore-case', '--page', '1', '--page-limit', '3'],
    prints: /walk/,
    reaches: { 'ignore-case': ['case_sensitive=false'], page: ['page=1'], 'page-limit': ['per_page=3'] },
  },
  { args: ['get', 'trail', 't1', '--flow', 'walk'] },
  {
    args: [
      ...['list', 'trails', '--flow', 'walk', '--fingerprint', FOLDER_FINGERPRINT, '--page', '1', '--page-limit', '3'],
    ],
    reaches: { page: ['page=1'], 'page-limit': ['per_page=3'] },
  },
  { args: ['list', 'trails', '--flow-tag', 'team=walk'], reaches: { 'flow-tag': ['team', 'walk'] } },
  { args: ['get', 'artifact', `walk@${FOLDER_FINGERPRINT}`, '--trail', 't1'] },
  {
    args: ['list', 'artifacts', '--flow', 'walk', '--page', '1', '--page-limit', '3'],
    reaches: { page: ['page=1'], 'page-limit': ['per_page=3'] },
  },
  { args: ['list', 'artifacts', '--repo', 'acme/walk'] },
  { args: ['search', commit], prints: /walk/ },
  { args: ['get', 'attestation', 'sbom', '--flow', 'walk', '--fingerprint', FOLDER_FINGERPRINT], prints: /sbom/ },
  { args: ['get', 'attestation', 'sbom', '--flow', 'walk', '--trail', 't1'], prints: /sbom/ },
  { args: ['evaluate', 'trail', ...TRAIL_BY_POLICY] },
  { args: ['evaluate', 'trails', ...TRAIL_BY_POLICY] },
  { args: ['evaluate', 'input', '--input-file', 'old.json', '--policy', 'allow.rego', '--params', '{}'], local: true },
  {
    args: ['fingerprint', 'folder', '--artifact-type', 'dir', '--exclude', 'excluded.txt'],
    prints: new RegExp(FOLDER_FINGERPRINT),
    local: true,
  },
  { args: ['version', '--short'], prints: /2\./, local: true },
  { args: ['completion', 'bash'], local: true },
];
