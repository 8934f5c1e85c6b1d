import { beforeAll, describe, expect, it } from 'vitest';
import { PAGES_MILLIS } from '#functions/exporter/work.ts';
import { exporterOf } from '#test/support/log/exports.ts';
import type { Change } from './change.ts';
import { erasureChanges, saysErased } from './erasure-changes.ts';
import { type ExportSample, exportOf } from './export-sample.ts';
import { changesOfFiles } from './file-changes.ts';
import { Judge } from './judge.ts';
import { kindsOfLines } from './kinds-of-lines.ts';
import { changesOfLines, repeatedKinds } from './line-changes.ts';
import { type ExportLine, linesIn } from './lines.ts';
import { apiToForge, eraseOfEachKind, organizationToForge, writeLater } from './organization.ts';
import { printed, type Tally, tally } from './tally.ts';

/** In milliseconds. The verifier runs thousands of times, and a busy machine needs minutes for that. */
const LIMIT = 900_000;

const api = await apiToForge();
let complete: ExportSample;
/** Kinds of which an export can have the same line twice. */
let repeated: Set<string>;
/** With a record of each kind erased, and with records that came after the checkpoint. */
let later: ExportSample;
beforeAll(async () => {
  const acme = await organizationToForge(api);
  complete = await exportOf(api, exporterOf(api.services), acme);
  const times = [0, PAGES_MILLIS];
  repeated = repeatedKinds((await exportOf(api, exporterOf(api.services), acme, { times })).files);
  await eraseOfEachKind(api, acme, complete.files);
  later = await exportOf(api, exporterOf(api.services), acme, { meanwhile: () => writeLater(acme) });
}, LIMIT);

/** A judge verifies the honest export, and once more for each line of some kinds. */
const judges = new Map<ExportSample, Promise<Judge>>();

/** Judges changes one after another. @returns the holes */
async function holesOf(sample: ExportSample, changes: readonly Change[]): Promise<string[]> {
  const made = judges.get(sample) ?? Judge.of(sample);
  judges.set(sample, made);
  const judge = await made;
  const found: Tally = new Map();
  const holes: string[] = [];
  for (const change of changes) {
    if (change.isRepeat && repeated.has(change.kind)) continue;
    const judgement = await judge.judge(change);
    tally(found, change.kind, judgement.outcome);
    if (judgement.outcome === 'hole') holes.push(`${change.kind}: ${change.what}: ${judgement.why}`);
  }
  console.info(printed(found));
  return holes;
}

describe('an honest export', () => {
  it('has lines of every kind that the exporter makes', () => {
    const kinds = new Set([complete, later].flatMap(({ files }) => linesIn(files).map(({ kind }) => kind)));
    expect([...kinds].sort()).toEqual(kindsOfLines());
  });
});

describe('every single change is a fault, or the scope names what is changed:', { timeout: LIMIT }, () => {
  it('every change of a line is a fault, or the scope names the line', async () => {
    expect(await holesOf(complete, changesOfLines(complete.files))).toEqual([]);
  });

  it('every change of a file is a fault, or the scope names the file', async () => {
    expect(await holesOf(complete, changesOfFiles(complete.files))).toEqual([]);
  });

  it('every change to a record that is marked as erased is a fault, or the scope names the record', async () => {
    const changes = erasureChanges(complete.files, later.files);
    expect(new Set(changes.map(({ kind }) => kind)).size).toBeGreaterThan(5);
    expect(await holesOf(complete, changes)).toEqual([]);
  });

  it('every change of a line that is erased, or that came after the checkpoint, is a fault, or the scope names the line', async () => {
    const logged = new Set(linesIn(later.files).flatMap(({ kind, record }) => ('log_index' in record ? [kind] : [])));
    const isLater = ({ kind, record }: ExportLine) => logged.has(kind) && !('log_index' in record);
    const changes = changesOfLines(later.files, (line) => saysErased(line) || isLater(line));
    expect(await holesOf(later, changes)).toEqual([]);
  });
});
