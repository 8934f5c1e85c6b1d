import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../account/user.ts';
import { call } from '../../client/call.ts';
import { count } from '../../model/words.ts';
import { Button } from '../../parts/control/button.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { ChoiceField, Fields } from '../../parts/form/field.tsx';
import { SecretDialog } from '../../parts/form/secret-dialog.tsx';
import { Writes as Forms } from '../../parts/form/writes.tsx';
import { Time } from '../../parts/text/time.tsx';
import { actionWrites } from '../forms.ts';
import { type Action, replayDeliveries, rotateSigningSecret, testAction } from '../operations.ts';

interface WritesProps {
  org: string;
  action: Action;
  /** Shows what the service answered. */
  onDone: (text: string) => void;
}

const DAY = 86_400;
const PERIODS = [
  [3600, 'the last hour'],
  [DAY, 'the last 24 hours'],
  [7 * DAY, 'the last 7 days'],
  [90 * DAY, 'the last 90 days'],
] as const;

/** What can be done with an action: send a test, send failed deliveries again, make a new signing secret. */
export function Writes({ org, action, onDone }: WritesProps) {
  const [asks, setAsks] = useState<'test' | 'replay' | 'rotate'>();
  const [secret, setSecret] = useState<{ secret: string; until: number }>();
  const [period, setPeriod] = useState<number>(DAY);
  const queries = useQueryClient();
  const mayWrite = useMay(org, 'member');
  const mayRotate = useMay(org, 'admin');
  const place = { org, action_number: action.number };
  const close = () => setAsks(undefined);

  const test = async (): Promise<void> => {
    const { delivery_ids: ids } = await call(testAction, place, {});
    await queries.invalidateQueries();
    onDone(`A test event was sent to ${count(ids.length, 'target')}.`);
  };
  const replay = async (): Promise<void> => {
    const since = Math.floor(Date.now() / 1000) - period;
    const { replayed, next_since: next } = await call(replayDeliveries, place, { since });
    await queries.invalidateQueries();
    const rest = next === null ? '' : ' There are more: replay again.';
    onDone(`${replayed === 1 ? '1 delivery is' : `${replayed} deliveries are`} sent again.${rest}`);
  };
  const rotate = async (): Promise<void> => {
    const answer = await call(rotateSigningSecret, place, {});
    setSecret({ secret: answer.secret, until: answer.previous_expires_at });
  };

  return (
    <>
      {mayWrite && <Button onClick={() => setAsks('test')}>Send a test</Button>}
      {mayWrite && <Button onClick={() => setAsks('replay')}>Replay</Button>}
      <Forms
        org={org}
        writes={actionWrites(org, action)}
        rareButtons={
          mayRotate && (
            <button type="button" onClick={() => setAsks('rotate')}>
              Rotate secret
            </button>
          )
        }
      />
      {asks === 'test' && (
        <Confirm does={`Send a test to ${action.name}`} act={test} onClose={close}>
          Each of its targets gets an event that is marked as a test.
        </Confirm>
      )}
      {asks === 'replay' && (
        <Confirm does={`Replay failed deliveries of ${action.name}`} act={replay} onClose={close}>
          <Fields>
            <p>Dead and discarded deliveries to its present targets are sent again, each under its own id.</p>
            <ChoiceField label="Events of" value={period} options={PERIODS} onChange={setPeriod} />
          </Fields>
        </Confirm>
      )}
      {asks === 'rotate' && (
        <Confirm does={`Rotate the secret of ${action.name}`} danger act={rotate} onClose={close}>
          Webhooks are signed with a new secret. For 24 hours they carry a signature by the present secret, too.
        </Confirm>
      )}
      {secret && (
        <SecretDialog
          title={`New signing secret of ${action.name}`}
          secret={secret.secret}
          onClose={() => setSecret(undefined)}
        >
          {secret.until > 0 && (
            <p>
              The secret before it signs too until <Time at={secret.until} show="full" /> (
              <Time at={secret.until} show="ago" />
              ).
            </p>
          )}
        </SecretDialog>
      )}
    </>
  );
}
