import { createHash } from 'node:crypto';
import { extract } from 'tar-stream';

/** The files of a tar by path, in their order. */
export async function readTar(tar: Uint8Array): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const reader = extract();
  reader.end(tar);
  for await (const entry of reader) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) chunks.push(chunk as Uint8Array);
    if (files.has(entry.header.name)) throw new Error(`The archive has two files ${entry.header.name}`);
    files.set(entry.header.name, Buffer.concat(chunks));
  }
  return files;
}

/** A bag as its own tools see it: files below `data/` by path, and what is wrong with the manifest. */
export async function readBag(tar: Uint8Array): Promise<{
  folder: string;
  files: Map<string, Buffer>;
  faults: string[];
}> {
  const all = [...(await readTar(tar))];
  const folder = all[0]?.[0].split('/')[0] ?? '';
  const files = new Map(all.map(([path, bytes]) => [path.slice(folder.length + 1), bytes]));
  const manifest = (files.get('manifest-sha256.txt')?.toString() ?? '').split('\n').slice(0, -1);
  const listed = new Map(manifest.map((line) => [line.slice(66), line.slice(0, 64)]));
  const faults = [...files].flatMap(([path, bytes]) => {
    if (!path.startsWith('data/')) return [];
    const digest = createHash('sha256').update(bytes).digest('hex');
    return listed.get(path) === digest ? [] : [`${path} is not as the manifest says`];
  });
  faults.push(...[...listed.keys()].filter((path) => !files.has(path)).map((path) => `${path} is missing`));
  if (manifest.length !== listed.size) faults.push('the manifest has a file twice');
  const tagFiles = ['bag-info.txt', 'bagit.txt', 'manifest-sha256.txt'];
  const digests = tagFiles.map((path) => [
    createHash('sha256')
      .update(files.get(path) ?? '')
      .digest('hex'),
    path,
  ]);
  const tagManifest = digests.map(([digest, path]) => `${digest}  ${path}\n`).join('');
  if (files.get('tagmanifest-sha256.txt')?.toString() !== tagManifest) faults.push('the tag manifest is wrong');
  if (all.at(-1)?.[0] !== `${folder}/tagmanifest-sha256.txt`) faults.push('the tag manifest is not last');
  return { folder, files, faults };
}

/** The records of a family of an export. */
export const recordsOf = (files: ReadonlyMap<string, Buffer>, family: string): Record<string, unknown>[] =>
  [...files]
    .filter(([path]) => path.startsWith(`data/records/${family}-`) && /-\d{4}\.ndjson$/.test(path))
    .filter(([path]) => path.length === `data/records/${family}-0001.ndjson`.length)
    .flatMap(([, bytes]) => bytes.toString().split('\n').slice(0, -1))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
