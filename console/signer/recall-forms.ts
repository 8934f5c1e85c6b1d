import { call } from '../client/call.ts';
import { area, choice, line, names, type Write, write } from '../parts/form/model/forms.ts';
import { INSTANT_NOTE } from '../parts/form/model/instants.ts';
import { refuseTaken } from '../parts/form/model/taken.ts';
import { signerNames, trustRootNames } from '../parts/form/suggestions.ts';
import { impactLines } from './model/impact.ts';
import { NAME_NOTE } from './model/names.ts';
import {
  type Beginning,
  bodyOf,
  checkValues,
  errorPlace,
  hasField,
  timeText,
  WHATS,
  whatOf,
} from './model/recall-form.ts';
import { deleteRecall, putRecall, type Recall, tryRecall } from './operations.ts';
import { versionedWrites } from './versioned-writes.ts';

/** Writes about recalls (rules/verified-evidence.md#recalls). */

function fieldsOf(org: string, given: Beginning & Partial<Recall>) {
  return {
    what: choice('What is recalled', WHATS, { initial: whatOf(given) }),
    signer: line('Signer', { initial: given.signer ?? '', suggest: signerNames(org) }),
    run: line('Address of the run', {
      initial: given.run ?? '',
      note: 'As attestations show it, such as https://github.com/acme/web/actions/runs/1/attempts/1.',
    }),
    builder: line('Builder', { initial: given.builder ?? '', note: 'The id that a provenance names.' }),
    root: line('Trust root', { initial: given.root?.name ?? '', suggest: trustRootNames(org) }),
    version: line('Version of the trust root', {
      isOptional: true,
      initial: String(given.root?.version ?? ''),
      note: 'Empty: every version.',
    }),
    key: line('SHA-256 of the public key', { initial: given.key ?? '', note: '64 lower-case hexadecimal digits.' }),
    bundles: names('SHA-256 of bundles', {
      initial: given.bundles ?? [],
      note: 'As attestations show them. Each has 64 lower-case hexadecimal digits.',
    }),
    from: line('Signed from', {
      isOptional: true,
      initial: timeText(given.from),
      note: `${INSTANT_NOTE} Empty: since ever.`,
    }),
    until: line('Signed before', {
      isOptional: true,
      initial: timeText(given.until),
      note: 'In UTC, too. Empty: what will be signed is recalled as well.',
    }),
    reason: area('Reason', { initial: given.reason ?? '', note: 'Why nobody should trust it. It stands on the page.' }),
  };
}

const common = {
  operation: putRecall,
  isShown: (field: string, { what }: { what: ReturnType<typeof whatOf> }) => hasField(what, field),
  errorPlace,
};

const TRY = 'What would it concern?';
/** A name for a trial whose recall has none yet. It is stored nowhere. */
const UNNAMED = 'trial';

/** Asks what a recall would concern, and stores nothing (rules/verified-evidence.md#impact). */
const concerned = async (org: string, name: string, body: ReturnType<typeof bodyOf>): Promise<string[]> =>
  impactLines(await call(tryRecall, { org, name }, { per_page: 100 }, body));

/**
 * A form that recalls.
 *
 * @param taken recalls that there are: the service would change the one with the same name
 * @param given what the form begins with
 */
export const newRecall = (org: string, taken: readonly Pick<Recall, 'name'>[], given: Beginning = {}): Write =>
  write({
    ...common,
    button: Object.keys(given).length === 0 ? 'New recall' : 'Recall',
    does: 'Recall it',
    doing: 'recall evidence',
    about:
      'What these signatures prove does not count any more: verdicts of trails, artifacts and environments are those without it. The recall is in the audit log.',
    isDanger: true,
    fields: { name: line('Name of the recall', { note: NAME_NOTE }), ...fieldsOf(org, given) },
    check: ({ name, ...values }): Record<string, string> => ({
      ...checkValues(values),
      ...refuseTaken('a recall', name, taken),
    }),
    request: ({ name, ...values }) => ({ params: { org, name: name.trim() }, body: bodyOf(values) }),
    trial: {
      button: TRY,
      leavesOut: ['name'],
      run: ({ name, ...values }) => concerned(org, name.trim() || UNNAMED, bodyOf(values)),
    },
    opens: ({ name }) => ({ page: 'recall', params: { org, recall: name.trim() } }),
  });

/** What the page of a recall offers. */
export function recallWrites(org: string, given: Recall): Write[] {
  const { name } = given;
  return versionedWrites(org, {
    what: 'recall',
    given,
    put: (labels) =>
      write({
        ...common,
        ...labels,
        fields: fieldsOf(org, given),
        check: checkValues,
        request: (values) => ({ params: { org, name }, body: bodyOf(values, given) }),
        trial: { button: TRY, run: (values) => concerned(org, name, bodyOf(values, given)) },
      }),
    again: {
      button: 'Recall it again',
      does: `Recall ${name} again`,
      about: 'It makes the next version, with what the recall said before it was deleted.',
      done: 'It is recalled again.',
    },
    edited: 'A change makes the next version.',
    deleted: 'It recalls nothing any more. Its versions are kept, and it can come back.',
    remove: deleteRecall,
  });
}
