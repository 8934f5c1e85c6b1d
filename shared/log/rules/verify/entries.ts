import { type LogEntry, MalformedEntry, parseEntry, type Subject } from '../entry.ts';
import { Fault } from './fault.ts';

/** Names a chain for readers of faults. Different chains have different names. */
export function chainName(subject: Subject): string {
  switch (subject.kind) {
    case 'trail':
      return `trail ${subject.trail} of flow ${subject.flow}`;
    case 'environment':
      return `environment ${subject.environment}`;
    case 'audit':
      return `audit entry ${subject.entry}`;
    case 'evaluation':
      return `evaluation ${subject.evaluation}`;
    case 'statement':
      return `statement ${subject.digest}`;
  }
}

const LINKS = { trail: 'moment', environment: 'snapshot' } as const;

/** Names a subject for readers of faults. @param chain name of its chain */
export const subjectText = (subject: Subject, chain = chainName(subject)): string =>
  'number' in subject ? `${LINKS[subject.kind]} ${subject.number} of ${chain}` : chain;

/** Parses an entry of a log. @param place names the entry in a fault. @throws Fault if the bytes are no entry */
export function readEntry(place: string, bytes: Buffer): LogEntry {
  try {
    return parseEntry(bytes);
  } catch (error) {
    if (error instanceof MalformedEntry) throw new Fault(place, error.message, error);
    throw error;
  }
}
