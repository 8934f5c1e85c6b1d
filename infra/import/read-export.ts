import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import * as z from 'zod';
import type { ImportLine, ImportSource } from '#shared/exports/import/source.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { parseNote } from '#shared/tlog/notes.ts';

/** The files of an export on this machine. */

/** Unpacks the archive of an export. @returns its folder. @throws Error if it is no archive with one folder and only files */
export async function unpackExport(archive: string, into: string): Promise<string> {
  const reader = extract();
  const reading = pipeline(createReadStream(archive), reader);
  const folders = new Set<string>();
  const collecting = (async () => {
    for await (const entry of reader) {
      const { name, type } = entry.header;
      const path = normalize(name);
      if (path.startsWith('..') || path.startsWith(sep))
        throw new Error(`The archive has a file outside of it: ${name}`);
      if (type === 'file') {
        const chunks: Uint8Array[] = [];
        // The stream of the library declares no type for its chunks.
        for await (const chunk of entry) chunks.push(chunk as Uint8Array);
        await mkdir(dirname(join(into, path)), { recursive: true });
        // The verifier refuses an archive that has a file twice. So does this.
        await writeFile(join(into, path), Buffer.concat(chunks), { flag: 'wx' });
        folders.add(path.split(sep)[0] ?? '');
      } else {
        if (type !== 'directory') throw new Error(`The archive has a ${type}, and not only files: ${name}`);
        entry.resume();
      }
    }
  })();
  await Promise.all([reading, collecting]);
  const [folder, other] = folders;
  if (folder === undefined || other !== undefined) throw new Error('The archive does not have exactly one folder');
  return join(into, folder);
}

const Line = z.record(z.string(), z.unknown());
const RECORDS = join('data', 'records');

/** Opens the folder of an export that the verifier has accepted. */
export async function openSource(folder: string): Promise<ImportSource> {
  const read = (path: string) => readFile(join(folder, path));
  const records = (await readdir(join(folder, RECORDS))).toSorted();
  const familyOf = (file: string): string => file.replace(/-\d+\.ndjson$/, '');
  // An export without attachments has no such folder.
  const files = join(folder, 'data', 'files');
  const attachments = existsSync(files) ? await readdir(files) : [];
  const note = parseNote((await read('data/log/checkpoint')).toString('utf8'));
  async function* lines(family: string): AsyncGenerator<ImportLine> {
    for (const file of records.filter((one) => familyOf(one) === family)) {
      const input = createReadStream(join(folder, RECORDS, file), 'utf8');
      for await (const line of createInterface({ input, crlfDelay: 0 })) yield Line.parse(JSON.parse(line));
    }
  }
  return {
    digest: createHash('sha256')
      .update(await read('manifest-sha256.txt'))
      .digest('hex'),
    checkpoint: parseCheckpoint(note.text),
    lines,
    families: () => [...new Set(records.map(familyOf))],
    attachments: () => attachments,
    read,
  };
}
