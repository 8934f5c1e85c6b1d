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

/** What becomes of a control; null = it is so already, and no version is added (semantics §7.1). */
export type Change = { status: Exclude<ControlStatus, 'created'>; content?: ControlContent } | null;

export const CHANGE_USES: Uses = {
  writes: ['CONTROL', 'CATALOGUE', 'BODY', 'AUDIT'],
  bucket: ['bodies:read', 'bodies:write'],
};

type Asked = Pick<Request<{ identifier: string }>, 'params' | 'org' | 'caller' | 'idempotency' | 'receivedAt'>;

/**
 * Adds the version that `decide` asks for to the control as it is now, and answers with it.
 * @throws ApiError 404 where there is no such control; what `decide` throws
 */
export async function changeControl(
  request: Asked,
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
      const answer = { status: 200, body: controlOut(control) };
      return answered(answer, await claimAlone(table, claimWrites(idempotency, answer, at)));
    }
    const { status, content = control.content } = change;
    const prepared = sameControl(content, control.content)
      ? undefined
      : prepareControl(objects, org.id, identifier, content);
    await prepared?.upload();
    const { head, writes } = nextControlWrites(
      org.id,
      control.head,
      { status, content, ...(prepared && { body: prepared }) },
      { at, by: caller.name },
      again,
    );
    const answer = { status: 200, body: controlOut({ ...control, head, content }) };
    const claim = claimWrites(idempotency, answer, at);
    const outcome = await table.transact<'again' | EarlierRequest>([
      ...claim,
      ...writes,
      auditOf(request, {
        kind: `control.${status}`,
        subject: { type: 'control', id: head.id, name: identifier },
        before: { version: control.head.version, ...control.content },
        after: { version: head.version, ...content },
      }),
    ]);
    return outcome === 'again' ? outcome : answered(answer, outcome);
  });
}

const answered = (answer: Answer<ControlOut>, outcome: 'done' | EarlierRequest): Answer<ControlOut> =>
  outcome === 'done' ? answer : { status: 200, body: ControlOut.parse(answerOf(outcome).body) };
