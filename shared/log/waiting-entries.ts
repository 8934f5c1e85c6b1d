import type { OrganizationId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { compareSubjects, subjectName } from './rules/batches.ts';
import { type LogEntry, MalformedEntry, parseEntry } from './rules/entry.ts';

/** Most bytes of an entry (rules/log.md#entry-bundles). */
const ENTRY_BYTES = 0xffff;

export interface WaitingEntry {
  bytes: Buffer;
  entry: LogEntry;
  /** SHA-256 of the entry, which is the hash of the link. */
  hash: Buffer;
}

/** @throws MalformedEntry if the bytes are no entry, or one of another organization */
export function readWaiting(org: OrganizationId, bytes: Buffer): WaitingEntry {
  if (bytes.length > ENTRY_BYTES) throw new MalformedEntry(`it has ${bytes.length} bytes, above ${ENTRY_BYTES}`);
  const entry = parseEntry(bytes);
  if (entry.kind === 'link' && entry.org !== org) throw new MalformedEntry(`it belongs to organization ${entry.org}`);
  return { bytes, entry, hash: entryHash(bytes) };
}

/** Sorts entries by subject and number, and keeps the first of each subject. */
export function inOrder(entries: Iterable<WaitingEntry>): WaitingEntry[] {
  const bySubject = new Map<string, WaitingEntry>();
  for (const one of entries) {
    const name = subjectName(one.entry.subject);
    if (!bySubject.has(name)) bySubject.set(name, one);
  }
  return [...bySubject.values()].sort((one, other) => compareSubjects(one.entry.subject, other.entry.subject));
}
