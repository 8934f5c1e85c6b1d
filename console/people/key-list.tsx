import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOfSignIn } from '../account/model/sign-in.ts';
import { useUser } from '../account/user.ts';
import { Button } from '../parts/control/button.tsx';
import { Confirm } from '../parts/form/confirm.tsx';
import { ChoiceField, Field, Fields, Notice } from '../parts/form/field.tsx';
import { SecretDialog } from '../parts/form/secret-dialog.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time, useNow } from '../parts/text/time.tsx';
import styles from './key-list.module.css';
import { keyWarning } from './model/access.ts';
import type { ApiKey } from './operations.ts';

const DAY = 86_400;
const LIVES = [
  [30, '30 days'],
  [90, '90 days'],
  [365, '1 year'],
  [0, 'never'],
] as const;
/** The longest life of a key that a person issues after a sign-in, in days (rules/organizations.md#keys-from-a-sign-in). */
const LONGEST_FROM_SIGN_IN = 90;
const GRACES = [
  [1, '1 hour'],
  [24, '24 hours'],
  [168, '7 days'],
  [720, '30 days'],
] as const;

interface Issued {
  key: string;
  description: string;
  grace_period_expires_at?: number;
}

interface KeyListProps {
  keys: readonly ApiKey[];
  /** Whose keys they are: `you`, `ci`. */
  owner: string;
  rights: { issue: boolean; revoke: boolean };
  issue: (body: { description: string; expires_at: number }) => Promise<Issued>;
  rotate: (id: string, body: { grace_period_hours: number }) => Promise<Issued>;
  revoke: (id: string) => Promise<unknown>;
}

/** API keys with their last use and their end. A new secret is in the state of this component only, until it is copied. */
export function KeyList({ keys, owner, rights, issue, rotate, revoke }: KeyListProps) {
  const [asks, setAsks] = useState<{ does: 'issue' } | { does: 'rotate' | 'revoke'; key: ApiKey }>();
  const [issued, setIssued] = useState<Issued>();
  const [description, setDescription] = useState('');
  const [days, setDays] = useState<number>(90);
  const [hours, setHours] = useState<number>(24);
  const [notice, setNotice] = useState<string | null>(null);
  const queries = useQueryClient();
  const now = useNow();
  const credential = useUser()?.credential;
  const isSignedIn = credential !== undefined && isOfSignIn(credential);
  const lives = LIVES.filter(([life]) => !isSignedIn || (life !== 0 && life <= LONGEST_FROM_SIGN_IN));
  const close = () => setAsks(undefined);

  const refresh = () => queries.invalidateQueries();
  const doIssue = async (): Promise<void> => {
    const end = days === 0 ? 0 : Math.floor(Date.now() / 1000) + days * DAY;
    setIssued(await issue({ description: description.trim(), expires_at: end }));
    setDescription('');
    await refresh();
  };
  const doRotate = (key: ApiKey) => async (): Promise<void> => {
    setIssued(await rotate(key.id, { grace_period_hours: hours }));
    await refresh();
  };
  const doRevoke = (key: ApiKey) => async (): Promise<void> => {
    await revoke(key.id);
    setNotice(`The key «${key.description}» is revoked. Within 30 seconds it works nowhere.`);
    await refresh();
  };

  return (
    <>
      <Notice>{notice}</Notice>
      {keys.length === 0 ? (
        <Empty
          sentence="There is no active key."
          remedy={rights.issue ? 'Issue one to sign in or to report.' : undefined}
        />
      ) : (
        <Table
          caption="Active keys"
          rows={keys}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Key', cell: ({ description: text }) => <Text>{text}</Text> },
            {
              head: 'Expires',
              fit: true,
              cell: (key) => <Expiry apiKey={key} now={now} />,
            },
            {
              head: 'Last use',
              fit: true,
              cell: ({ last_used_at: at }) => <Time at={at || null} show="ago" never="not used yet" />,
            },
            { head: 'Issued', fit: true, cell: ({ created_at: at }) => <Time at={at} /> },
            {
              head: 'Id',
              fit: true,
              cell: ({ id }) => (
                <Id what="key id" short>
                  {id}
                </Id>
              ),
            },
            ...(rights.issue || rights.revoke
              ? [
                  {
                    head: 'Change',
                    fit: true,
                    cell: (key: ApiKey) => (
                      <span className={styles['buttons']}>
                        {rights.issue && <Button onClick={() => setAsks({ does: 'rotate', key })}>Rotate</Button>}
                        {rights.revoke && (
                          <Button look="danger" onClick={() => setAsks({ does: 'revoke', key })}>
                            Revoke
                          </Button>
                        )}
                      </span>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {rights.issue && (
        <p className={styles['issue']}>
          <Button onClick={() => setAsks({ does: 'issue' })}>Issue a key</Button>
        </p>
      )}
      {asks?.does === 'issue' && (
        <Confirm does={`Issue a key for ${owner}`} isReady={description.trim() !== ''} act={doIssue} onClose={close}>
          <Fields>
            <Field label="Description" note="Where it will be used, such as «deploy pipeline».">
              <input
                value={description}
                maxLength={256}
                autoComplete="off"
                onChange={({ target }) => setDescription(target.value)}
              />
            </Field>
            <ChoiceField label="Expires after" value={days} options={lives} onChange={setDays} />
          </Fields>
        </Confirm>
      )}
      {asks?.does === 'rotate' && (
        <Confirm does={`Rotate «${asks.key.description}»`} act={doRotate(asks.key)} onClose={close}>
          <Fields>
            <p>The key gets a new secret. Its id, description and end stay.</p>
            <ChoiceField
              label="The present secret works for another"
              value={hours}
              options={GRACES}
              onChange={setHours}
            />
          </Fields>
        </Confirm>
      )}
      {asks?.does === 'revoke' && (
        <Confirm does={`Revoke «${asks.key.description}»`} danger act={doRevoke(asks.key)} onClose={close}>
          All secrets of the key end, and so do the sessions that were made from it. This cannot be undone.
        </Confirm>
      )}
      {issued && (
        <SecretDialog
          title={`New secret of «${issued.description}»`}
          secret={issued.key}
          onClose={() => setIssued(undefined)}
        >
          {issued.grace_period_expires_at !== undefined && (
            <p>
              The secret before it works until <Time at={issued.grace_period_expires_at} show="full" /> (
              <Time at={issued.grace_period_expires_at} show="ago" />
              ).
            </p>
          )}
        </SecretDialog>
      )}
    </>
  );
}

/** The end of a key. What needs attention stands out by its words and its colour. */
function Expiry({ apiKey, now }: { apiKey: ApiKey; now: number }) {
  const warning = keyWarning(apiKey, now);
  if (apiKey.expires_at === 0) return <span className={styles['quiet']}>never</span>;
  return (
    <>{warning === null ? <Time at={apiKey.expires_at} /> : <span className={styles['warning']}>{warning}</span>}</>
  );
}
