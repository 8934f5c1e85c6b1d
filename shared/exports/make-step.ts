import * as z from 'zod';
import { type Id, newId, type OrganizationId } from '#shared/base/ids.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import type { ExportFiles } from '#shared/bodies/export-files.ts';
import { Archive, continuedSha256 } from './archive.ts';
import type { ArchiveContext } from './context.ts';
import type { Place, Section } from './pages.ts';
import type { ExportProgress, PinnedExport } from './records/exports.ts';
import { BAGIT_TXT, type BagCounts, tagManifestText } from './rules/bag-texts.ts';
import { archiveName } from './rules/life-of-an-export.ts';
import { TAR_END } from './rules/tar.ts';

/** A step ends when the manifest has this many new lines, so that its notes stay small. */
const MOST_NEW_FILES = 10_000;

/** What a step notes in the bucket, because it may be too large for the item of the export. */
const StepNotes = z.object({
  /** Name of the notes of the step before. */
  previous: z.string().nullable(),
  /** Entity tags of the parts, in their order. */
  tags: z.array(z.string()),
  manifest: z.string(),
});
type StepNotes = z.infer<typeof StepNotes>;

/** Sections and texts of one kind of archive. */
export interface ArchiveForm<C extends ArchiveContext> {
  sections: readonly Section<C>[];
  /** Returns the text of `bag-info.txt`. */
  bagInfo: (record: PinnedExport, counts: BagCounts) => string;
}

interface StepOptions<C extends ArchiveContext> {
  context: C;
  form: ArchiveForm<C>;
  record: PinnedExport;
  /** Whether there is time for another page. A step makes at least one page. */
  isTime: () => boolean;
}

/**
 * Makes the next part of an archive and notes it in the bucket. Nothing counts before the caller stores the returned
 * progress, so a step that was interrupted is made again from its beginning (rules/exports.md#steps).
 */
export async function makeStep<C extends ArchiveContext>(
  options: StepOptions<C>,
  progress: ExportProgress,
): Promise<ExportProgress> {
  const { context, record } = options;
  const { org, files } = context;
  const { upload } = progress;
  if (upload === null) throw new Error(`The upload of export ${record.id} was not begun`);
  const archive = new Archive(progress, {
    folder: archiveName(record),
    mtime: record.started / 1000,
    rest: progress.note === null ? Buffer.alloc(0) : await files.getNote(org, record.id, restName(progress.note)),
    putPart: (number, bytes) => files.putPart(org, record.id, { upload, number }, bytes),
  });
  const reached =
    progress.stage === 'content'
      ? await addContent(options, archive, progress)
      : await addManifest(options, archive, progress);
  const note = `steps/${String(progress.steps + 1).padStart(6, '0')}-${newId(context.now)}`;
  const notes: StepNotes = { previous: progress.note, tags: archive.tags, manifest: archive.manifest.join('') };
  await Promise.all([
    files.putNote(org, record.id, note, Buffer.from(JSON.stringify(notes))),
    files.putNote(org, record.id, restName(note), archive.rest),
  ]);
  return { ...archive.counts, ...reached, upload, steps: progress.steps + 1, note };
}

const restName = (note: string): string => `${note}-rest`;

type Reached = Pick<ExportProgress, 'stage' | 'section' | 'place' | 'manifestHash'>;

async function addContent<C extends ArchiveContext>(
  { context, form, record, isTime }: StepOptions<C>,
  archive: Archive,
  progress: ExportProgress,
): Promise<Reached> {
  let place = readPlace(progress.place);
  for (const section of sectionsFrom(form.sections, progress.section)) {
    for await (const page of section.pages(context, place)) {
      for (const line of page.lines) await archive.addLine(line);
      for (const { file, text } of page.texts ?? []) await archive.addText(file, text);
      for (const { path, bytes } of page.files ?? []) await archive.addFile(path, bytes);
      place = page.place;
      if (!isTime() || archive.manifest.length >= MOST_NEW_FILES) {
        await archive.writePieces();
        return { stage: 'content', section: section.name, place: JSON.stringify(place), manifestHash: null };
      }
    }
    place = null;
  }
  await archive.writePieces();
  await archive.addFile('bag-info.txt', Buffer.from(form.bagInfo(record, archive.counts)));
  return { stage: 'manifest', section: null, place: null, manifestHash: null };
}

/** @throws Error if a step of another release stored the name of a section that does not exist any more */
function sectionsFrom<C>(sections: readonly Section<C>[], name: string | null): readonly Section<C>[] {
  const first = name === null ? 0 : sections.findIndex((section) => section.name === name);
  if (first < 0) throw new Error(`An archive has no section ${name}`);
  return sections.slice(first);
}

const PlaceText = z.object({ key: z.string(), range: z.number(), after: z.string().nullable() });
const readPlace = (text: string | null): Place | null => (text === null ? null : PlaceText.parse(JSON.parse(text)));

/**
 * Adds the manifest from the notes of the steps, the last step first, then the manifest of the tag files. `place` is the name
 * of the next notes.
 */
async function addManifest<C extends ArchiveContext>(
  { context: { org, files }, form, record, isTime }: StepOptions<C>,
  archive: Archive,
  progress: ExportProgress,
): Promise<Reached> {
  const size = progress.manifest;
  if (progress.place === null) await archive.beginFile('manifest-sha256.txt', size);
  const hash = await continuedSha256(progress.manifestHash);
  for await (const notes of notesFrom(files, org, record.id, progress.place ?? progress.note)) {
    const lines = Buffer.from(notes.manifest);
    hash.update(lines);
    await archive.addBytes(lines);
    if (notes.previous !== null && !isTime()) {
      return { stage: 'manifest', section: null, place: notes.previous, manifestHash: hash.save() };
    }
  }
  await archive.endFile(size);
  const tagManifest = tagManifestText([
    ['bag-info.txt', sha256Hex(Buffer.from(form.bagInfo(record, archive.counts)))],
    ['bagit.txt', sha256Hex(Buffer.from(BAGIT_TXT))],
    ['manifest-sha256.txt', hash.digest()],
  ]);
  await archive.addFile('tagmanifest-sha256.txt', Buffer.from(tagManifest));
  await archive.addBytes(TAR_END);
  // The bucket refuses a part without bytes.
  if (archive.rest.length > 0) await archive.uploadPart();
  return { stage: 'complete', section: null, place: null, manifestHash: null };
}

export async function readTags(files: ExportFiles, org: OrganizationId, id: Id, note: string): Promise<string[]> {
  const tags: string[][] = [];
  for await (const notes of notesFrom(files, org, id, note)) tags.push(notes.tags);
  return tags.reverse().flat();
}

async function* notesFrom(
  files: ExportFiles,
  org: OrganizationId,
  id: Id,
  last: string | null,
): AsyncGenerator<StepNotes> {
  for (let name = last; name !== null; ) {
    const notes = StepNotes.parse(JSON.parse((await files.getNote(org, id, name)).toString('utf8')));
    yield notes;
    name = notes.previous;
  }
}
