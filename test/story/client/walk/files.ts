import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cycloneDxJson } from '#test/support/records/sboms.ts';

/** A folder as an artifact; the file that is left out does not change its fingerprint. */
export const FOLDER = 'folder';
export const EXCLUDED = 'excluded.txt';
/** The client's fingerprint of the folder without the file; a test compares it with what the client computes. */
export const FOLDER_FINGERPRINT = '5b0ee0259d93478841dfd6a58420c3ac23f9c89f459925600cb353d8e5f7cd3c';
/** Another folder, which only a deprecated command reports. */
export const OTHER_FOLDER = 'other';
export const OTHER_FINGERPRINT = '8b603231c426b12306e121f3ebf05b2ae8096925a8cf087eab72d33b0725487a';
/** What the client writes in the place of a redacted text. */
export const REDACTED = 'REDACTED';

/**
 * Writes the files of the walk beside those of `fillWorkspace()`.
 * @param foreign address of the server that stands for a cluster
 */
export function fillWalk(dir: string, foreign: string): void {
  const write = (name: string, content: string) => writeFileSync(join(dir, name), content);
  for (const [folder, kept] of [
    [FOLDER, 'kept'],
    [OTHER_FOLDER, 'other'],
  ]) {
    mkdirSync(join(dir, `${folder}`));
    write(`${folder}/kept.txt`, `${kept}`);
    write(`${folder}/${EXCLUDED}`, 'excluded');
  }
  write('sbom.json', cycloneDxJson('1.6'));
  write('empty.yml', 'version: 1\n');
  write(
    'strict.yml',
    `_schema: https://docs.example/schemas/policy/environment/v1
artifacts:
  attestations:
    - name: sbom
      type: sbom
`,
  );
  write('paths.yml', 'version: 1\nartifacts:\n  client:\n    path: client.bin\n  evidence:\n    path: evidence\n');
  const cluster = { name: 'walk', cluster: { server: foreign } };
  const context = { name: 'walk', context: { cluster: 'walk', user: 'walk' } };
  const kube = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [cluster],
    contexts: [context],
    'current-context': 'walk',
  };
  write('kube.yml', JSON.stringify({ ...kube, users: [{ name: 'walk', user: { token: 't' } }] }));
  write('allow.rego', 'package policy\n\nallow := true\n');
}
