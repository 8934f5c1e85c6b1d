import { type LogEntry, MalformedEntry, parseEntry } from '#shared/log/rules/entry.ts';
import { Fault } from './fault.ts';

/** Parses an entry of a log. @param place names the entry in a fault. @throws Fault if the bytes are no entry */
export function readEntry(place: string, bytes: Buffer): LogEntry {
  try {
    return parseEntry(bytes);
  } catch (error) {
    if (error instanceof MalformedEntry) throw new Fault(place, error.message, error);
    throw error;
  }
}
