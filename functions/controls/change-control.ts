import { again, retrying } from '#shared/base/retry.ts';
import { nextControlWrites, prepareControl, sameControl } from '#shared/controls/records/control-writes.ts';
import {
  type Control,
  type ControlContent,
  type ControlStatus,
  readControl,
} from '#shared/controls/records/controls.ts';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import type { Answer, Request } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import type { Services } from '#shared/http/services.ts';
import { claimAlone } from '#shared/http/written.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { ControlOut, controlOut } from './control-output.ts';

/** A change of a control; null = nothing changes, so no version is added (rules/controls.md#version-transitions). */
export type Change = { status: Exclude<ControlStatus, 'created'>; content?: ControlContent } | null;

/** Writes and bucket access of every endpoint that changes a control. */
export const CHANGE_USES: Uses = {
  writes: ['CONTROL', 'CATALOGUE', 'BODY', 'AUDIT'],
  bucket: ['bodies:read', 'bodies:write'],
};

type ChangeRequest = Pick<
  Request<{ identifier: string }>,
  'params' | 'org' | 'host' | 'caller' | 'idempotency' | 'receivedAt'
>;

/**
 * Reads a control, adds the version that `decide` returns, and answers the control after the change. If another writer was
 * first, it reads again and calls `decide` again.
 *
 * @param decide gets the stored control and returns the change
 * @throws ServiceError 404 if the control does not exist, and whatever `decide` throws
 */
export async function changeControl(
  request: ChangeRequest,
  { table, objects, clock }: Services,
  decide: (control: Control) => Change,
): Promise<Answer<ControlOut>> {
  const { org, caller, idempotency } = request;
  const { identifier } = request.params;
  return retrying(async () => {
    const control = await readControl(table, objects, org.id, identifier);
    if (!control) throw unknownControl({ control: identifier, org: org.name });
    const change = decide(control);
    const at = clock.now();
    if (!change) {
      const answer = { status: 200, body: controlOut(control, request) };
      return finalAnswer(answer, await claimAlone(table, claimWrites(idempotency, answer, at)));
    }
    const { status, content = control.content } = change;
    const prepared = sameControl(content, control.content)
      ? undefined
      : prepareControl(objects, org.id, identifier, content);
    await prepared?.upload();
    const { head, covers, writes } = nextControlWrites(
      org.id,
      control.head,
      { status, content, ...(prepared && { body: prepared }) },
      { at, by: caller.name },
      again,
    );
    const answer = { status: 200, body: controlOut({ ...control, head, content }, request) };
    const claim = claimWrites(idempotency, answer, at);
    const outcome = await table.transact<'again' | EarlierRequest>([
      ...claim,
      ...writes,
      auditOf(request, {
        kind: `control.${status}`,
        subject: { type: 'control', id: head.id, name: identifier },
        before: { version: control.head.version, ...control.content },
        after: { version: head.version, ...content },
        covers,
      }),
    ]);
    return outcome === 'again' ? outcome : finalAnswer(answer, outcome);
  });
}

/** Returns the answer of the earlier request if the idempotency key was used before. */
const finalAnswer = (answer: Answer<ControlOut>, outcome: 'done' | EarlierRequest): Answer<ControlOut> =>
  outcome === 'done' ? answer : { status: 200, body: ControlOut.parse(answerOf(outcome).body) };
