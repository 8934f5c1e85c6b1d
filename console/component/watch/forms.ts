import { area, line, type Write, write } from '../../parts/form/model/forms.ts';
import { INSTANT_NOTE, instantText, NO_INSTANT, readInstant } from '../../parts/form/model/instants.ts';
import { deleteWatch, putWatch, type Watch } from './operations.ts';

/** Writes of watches (rules/watches.md#save). */

const KNOWN = {
  known_since: line('Known since', { isOptional: true, note: `Without it, the first match counts. ${INSTANT_NOTE}` }),
  known_note: area('Known from', { isOptional: true, note: 'Such as a mail of the vendor' }),
};

const orNull = (text: string): string | null => text.trim() || null;

const checkKnown = ({ known_since: since }: { known_since: string }): Record<string, string> =>
  since.trim() !== '' && readInstant(since) === null ? { known_since: NO_INSTANT } : {};

const knownOf = ({ known_since: since, known_note: note }: { known_since: string; known_note: string }) => ({
  known_since: since.trim() === '' ? null : readInstant(since),
  known_note: orNull(note),
});

/** A new watch, from the question of a page or from nothing. */
export const newWatch = (org: string, { purl, versions }: { purl: string; versions: string | undefined }): Write =>
  write({
    button: 'Watch it',
    does: 'Watch a component',
    doing: 'watch components',
    operation: putWatch,
    fields: {
      name: line('Name', { note: 'Such as the name of the vulnerability' }),
      purl: line('Package URL', { initial: purl }),
      versions: line('Versions', {
        initial: versions ?? '',
        isOptional: true,
        note: 'A range such as vers:npm/<4.17.21; nothing if the package URL has a version',
      }),
      vulnerability: line('Vulnerability', { isOptional: true }),
      description: area('Description', { isOptional: true }),
      ...KNOWN,
    },
    check: checkKnown,
    request: ({ name, purl: asked, versions: range, vulnerability, description, ...known }) => ({
      params: { org, name: name.trim() },
      body: {
        purl: asked.trim(),
        versions: orNull(range),
        vulnerability: orNull(vulnerability),
        description: orNull(description),
        ...knownOf(known),
      },
    }),
    opens: ({ name }) => ({ page: 'watch', params: { org, watch: name.trim() } }),
  });

/** Changes what is said beside the question. */
export const watchWrites = (org: string, watch: Watch): Write[] => [
  write({
    button: 'Change',
    does: `Change ${watch.name}`,
    doing: 'change it',
    operation: putWatch,
    fields: {
      vulnerability: line('Vulnerability', { isOptional: true, initial: watch.vulnerability ?? '' }),
      description: area('Description', { isOptional: true, initial: watch.description ?? '' }),
      known_since: {
        ...KNOWN.known_since,
        initial: watch.known_since === null ? '' : instantText(watch.known_since),
      },
      known_note: { ...KNOWN.known_note, initial: watch.known_note ?? '' },
    },
    check: checkKnown,
    request: ({ vulnerability, description, ...known }) => ({
      params: { org, name: watch.name },
      body: {
        purl: watch.purl,
        versions: watch.versions,
        vulnerability: orNull(vulnerability),
        description: orNull(description),
        ...knownOf(known),
      },
    }),
    done: 'The watch was changed.',
  }),
  write({
    button: 'Delete',
    does: `Delete ${watch.name}`,
    doing: 'delete it',
    operation: deleteWatch,
    fields: {},
    isDanger: true,
    isRare: true,
    about: 'Nobody asks its question any more, and its case is gone. Exports and the audit log keep what it matched.',
    request: () => ({ params: { org, name: watch.name } }),
    opens: () => ({ page: 'watches', params: { org } }),
  }),
];
