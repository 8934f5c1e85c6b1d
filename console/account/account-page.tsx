import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../client/api-problem.ts';
import { call } from '../client/call.ts';
import { useAnswer } from '../client/live.ts';
import { type Preferences, setPreference, usePreferences } from '../client/preferences.ts';
import { read } from '../client/query-client.ts';
import { Button } from '../parts/control/button.tsx';
import { ErrorPanel } from '../parts/page/error-panel.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import styles from './account.module.css';
import { endListedSession, type Session, sessions, user } from './user.ts';

/** Who is signed in, the sessions, and how the console looks in this browser. */
export default function AccountPage() {
  const me = useAnswer(read(user, {}));
  const { credential } = me;
  return (
    <>
      <VerdictLine
        subject={me.name}
        kind={me.kind === 'user' ? 'Person' : 'Service account'}
        context="Account"
        sentence={
          <>
            You are a member of{' '}
            {me.organizations.length === 1 ? 'one organization' : `${me.organizations.length} organizations`}.
            {credential.expires_at > 0 && (
              <>
                {' '}
                This session ends <Time at={credential.expires_at} show="ago" />.
              </>
            )}
          </>
        }
      />
      <Panel title="Sessions" note="browsers that are signed in as you">
        <Sessions current={credential.id} />
      </Panel>
      <Panel title="Appearance" note="kept in this browser">
        <Appearance />
      </Panel>
      <Panel title="Organizations">
        <Table
          caption="Organizations"
          rows={me.organizations}
          keyOf={({ name }) => name}
          columns={[
            { head: 'Name', cell: ({ name }) => <Text>{name}</Text> },
            { head: 'Your role', cell: ({ role }) => role },
            {
              head: 'Features',
              cell: ({ features }) =>
                Object.entries(features)
                  .filter(([, has]) => has)
                  .map(([name]) => name)
                  .join(', ') || '–',
            },
          ]}
        />
      </Panel>
    </>
  );
}

function Sessions({ current }: { current: string }) {
  const rows = useAnswer(read(sessions, {}));
  const queries = useQueryClient();
  const [problem, setProblem] = useState<ApiProblem>();
  const end = async ({ id }: Session): Promise<void> => {
    try {
      await call(endListedSession, { session_id: id }, {});
      await queries.invalidateQueries();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    }
  };
  return (
    <>
      {problem && <ErrorPanel error={problem} />}
      <Table
        caption="Sessions"
        rows={rows.toReversed()}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Session',
            cell: ({ id }) => (
              <Id what="session id" short>
                {id}
              </Id>
            ),
          },
          { head: 'Began', cell: ({ created_at: at }) => <Time at={at} /> },
          { head: 'Ends', cell: ({ expires_at: at }) => <Time at={at} show="ago" /> },
          {
            head: 'End it',
            fit: true,
            cell: (session) =>
              session.id === current ? 'this browser' : <Button onClick={() => void end(session)}>End</Button>,
          },
        ]}
      />
    </>
  );
}

const CHOICES: readonly {
  [K in keyof Preferences]: { name: K; label: string; options: readonly (readonly [Preferences[K], string])[] };
}[keyof Preferences][] = [
  {
    name: 'theme',
    label: 'Theme',
    options: [
      ['system', 'As the system'],
      ['light', 'Light'],
      ['dark', 'Dark'],
    ],
  },
  {
    name: 'zone',
    label: 'Times',
    options: [
      ['local', 'In the zone of this browser'],
      ['utc', 'In UTC'],
    ],
  },
  {
    name: 'rows',
    label: 'Rows',
    options: [
      ['comfortable', 'Comfortable'],
      ['compact', 'Compact'],
    ],
  },
  {
    name: 'keys',
    label: 'Single keys',
    options: [
      ['on', 'Act (press ? for the list)'],
      ['off', 'Do nothing'],
    ],
  },
];

function Appearance() {
  const preferences = usePreferences();
  return (
    <div className={styles['choices']}>
      {CHOICES.map(({ name, label, options }) => (
        <fieldset key={name} className={styles['choice']}>
          <legend>{label}</legend>
          {options.map(([value, text]) => (
            <label key={value}>
              <input
                type="radio"
                name={name}
                checked={preferences[name] === value}
                onChange={() => setPreference(name, value)}
              />
              {text}
            </label>
          ))}
        </fieldset>
      ))}
    </div>
  );
}
