import type { Operation } from '../client/operations.ts';
import { type Write, write } from '../parts/form/model/forms.ts';

/** Texts of a form that puts the next version. */
type Labels = Pick<Write, 'button' | 'does' | 'doing' | 'about' | 'sends' | 'done'>;

interface Versioned {
  /** `signer`. */
  what: string;
  given: { name: string; deleted: boolean };
  /** Makes the form that puts a version. */
  put: (labels: Labels) => Write;
  /** Texts of the form that brings a deleted one back. */
  again: Pick<Labels, 'button' | 'does' | 'about' | 'done'>;
  /** What follows from an edit. */
  edited: string;
  /** What follows from the deletion. */
  deleted: string;
  remove: Operation<{ org: string; name: string }, object, undefined, unknown>;
}

/** What the page of a signer, a trust root or a recall offers. A deleted one only comes back. */
export function versionedWrites(
  org: string,
  { what, given: { name, deleted: isDeleted }, put, again, edited, deleted, remove }: Versioned,
): Write[] {
  if (isDeleted) return [put({ ...again, doing: 'bring it back' })];
  return [
    put({ button: 'Edit', does: `Edit ${name}`, sends: 'Save', doing: `edit the ${what}`, about: edited }),
    write({
      button: 'Delete',
      isRare: true,
      does: `Delete the ${what} ${name}`,
      doing: 'delete it',
      operation: remove,
      about: deleted,
      isDanger: true,
      fields: {},
      request: () => ({ params: { org, name } }),
      done: 'Deleted.',
    }),
  ];
}
