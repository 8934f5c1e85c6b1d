import type { Release } from '#shared/base/release.ts';
import { BAGIT_TXT, type BagCounts, bagFields, EXPORT_FORMAT, statedRelease } from '#shared/exports/rules/bag-texts.ts';
import type { Checkpoint } from '#shared/tlog/checkpoint.ts';
import type { ExportFiles } from './export-files.ts';
import { Fault } from './fault.ts';

/**
 * The tag files of a bag (RFC 8493). The manifest does not cover them, so they are compared with what they state, and with the
 * tag manifest.
 */
const MANIFEST = 'manifest-sha256.txt';
const TAG_MANIFEST = 'tagmanifest-sha256.txt';
const BAG_INFO = 'bag-info.txt';
/** The files of the tag manifest, in the order of its lines. */
const LISTED_TAG_FILES = [BAG_INFO, 'bagit.txt', MANIFEST];
const TAG_FILES = [...LISTED_TAG_FILES, TAG_MANIFEST];
const README = 'data/README.md';

/**
 * Verifies that the export has the format that this verifier reads (rules/exports.md#format). Without this check an export of
 * another format would be refused for a difference that says nothing to the reader.
 */
export async function verifyFormat(files: ExportFiles): Promise<void> {
  const format = await formatOf(files, 'Export-Format');
  if (format === EXPORT_FORMAT) return;
  if (format === undefined || Number(format) < Number(EXPORT_FORMAT)) {
    throw new Fault(
      BAG_INFO,
      `the export has an older format (Export-Format is ${format ?? 'missing'}), and this verifier reads format ${EXPORT_FORMAT} only. ` +
        'Start a new export, or use the verifier of the release that made this one',
    );
  }
  throw new Fault(
    BAG_INFO,
    `the export has the format '${format}', and this verifier reads format ${EXPORT_FORMAT} only. Use a newer verifier`,
  );
}

/** Reads a line of `bag-info.txt` that names a format. @returns undefined if there is no such line */
export async function formatOf(
  files: ExportFiles,
  label: 'Export-Format' | 'Package-Format',
): Promise<string | undefined> {
  const info = (await files.read(BAG_INFO)).toString('utf8');
  return new RegExp(`^${label}: (.*)$`, 'm').exec(info)?.[1];
}

/** Verifies that the manifest lists exactly the files of the export (rules/verification.md#bag). */
export async function verifyManifest(files: ExportFiles): Promise<void> {
  if ((await files.read('bagit.txt')).toString() !== BAGIT_TXT) {
    throw new Fault('bagit.txt', 'the declaration is not that of a BagIt 1.0 bag in UTF-8');
  }
  const listed = new Set<string>();
  const lines = (await files.read(MANIFEST)).toString('utf8').split('\n');
  if (lines.pop() !== '') throw new Fault(MANIFEST, 'the last line has no line feed at its end');
  for (const [i, line] of lines.entries()) {
    const place = `${MANIFEST}: line ${i + 1}`;
    const [, sha256, path = ''] = /^([0-9a-f]{64}) {2}(data\/.+)$/.exec(line) ?? [];
    if (sha256 === undefined) throw new Fault(place, 'the line does not have the form `<SHA-256>  data/<path>`');
    if (listed.has(path)) throw new Fault(place, `${path} is listed twice`);
    listed.add(path);
    const fact = files.facts.get(path);
    if (!fact) throw new Fault(path, `the file is missing, and ${place} lists it`);
    if (fact.sha256 !== sha256)
      throw new Fault(path, `the file has the SHA-256 ${fact.sha256}, ${place} has ${sha256}`);
  }
  for (const path of files.facts.keys()) {
    if (!listed.has(path) && !TAG_FILES.includes(path)) throw new Fault(path, `the file is not listed in ${MANIFEST}`);
  }
}

/**
 * Verifies that the tag manifest lists the other tag files with their SHA-256 (rules/verification.md#bag). They were compared
 * with the rest of the export before, so a difference that is found here is one of the tag manifest.
 */
export async function verifyTagManifest(files: ExportFiles): Promise<void> {
  const lines = (await files.read(TAG_MANIFEST)).toString('utf8').split('\n');
  for (const [i, path] of LISTED_TAG_FILES.entries()) {
    const expected = `${files.facts.get(path)?.sha256}  ${path}`;
    if (lines[i] !== expected) throw new Fault(`${TAG_MANIFEST}: line ${i + 1}`, `the line is not '${expected}'`);
  }
  if (lines.length !== LISTED_TAG_FILES.length + 1 || lines.at(-1) !== '') {
    throw new Fault(TAG_MANIFEST, `the file has other lines than those of ${LISTED_TAG_FILES.join(', ')}`);
  }
}

interface StatedFacts {
  name: string;
  date: string;
  log: { origin: string; size: number; root: string };
  release: Release | undefined;
  /** What a package is about; empty in an export. */
  about: string;
}

/**
 * Verifies what the bag states about itself. Its name and its date are not proved: they are compared with each other.
 *
 * @param fieldsOf makes the fields of the bag; without it those of an export
 * @returns the fields by their labels
 */
export async function verifyBagInfo(
  files: ExportFiles,
  checkpoint: Checkpoint,
  fieldsOf: (facts: StatedFacts, counts: BagCounts) => [field: string, value: string][] = bagFields,
): Promise<ReadonlyMap<string, string | undefined>> {
  const place = BAG_INFO;
  const text = (await files.read(place)).toString('utf8');
  const payload = [...files.facts].filter(([path]) => path.startsWith('data/'));
  const bytes = payload.reduce((sum, [, { size }]) => sum + size, 0);
  const stated = new Map(
    text.split('\n').flatMap((line) => {
      const [, label, value] = /^([^:]+): (.*)$/.exec(line) ?? [];
      return label === undefined ? [] : [[label, value] as const];
    }),
  );
  const [organization = '', date = ''] = [stated.get('Source-Organization'), stated.get('Bagging-Date')];
  const log = { ...checkpoint, root: checkpoint.root.toString('hex') };
  const release = statedRelease(stated);
  const facts = { name: organization, date, log, release, about: stated.get('External-Description') ?? '' };
  const expected = fieldsOf(facts, { files: payload.length, payload: bytes });
  for (const [label, value] of expected) {
    if (stated.get(label) === value) continue;
    throw new Fault(place, `${label} is '${stated.get(label) ?? ''}', the export gives '${value}'`);
  }
  if (text !== expected.map(([label, value]) => `${label}: ${value}\n`).join('')) {
    throw new Fault(place, 'the file has other lines than those of an export');
  }
  const readme = (await files.read(README)).toString('utf8');
  for (const [label, value] of [
    ['Source-Organization', `\`${organization}\``],
    ['Bagging-Date', date],
  ] as const) {
    if (date === '' || !readme.includes(value)) throw new Fault(place, `${label} is another than in ${README}`);
  }
  return stated;
}
