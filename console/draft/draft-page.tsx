import { useLiveAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { OutLink } from '../parts/link/link.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Id } from '../parts/text/id.tsx';
import { Json } from '../parts/text/json.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time, useNow } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { Change } from './change.tsx';
import styles from './draft.module.css';
import { decisions } from './forms.ts';
import { agentName, draftSentence, KIND_WORDS, stateOfDraft } from './model/drafts.ts';
import type { Draft } from './operations.ts';
import { type draftRoute, readDraft } from './routes.ts';

/** A draft of an agent: what it would write, beside what is there now, for a person to decide. */
export default function DraftPage({ params }: PageProps<typeof draftRoute>) {
  const { org, draft: id } = params;
  const draft = useLiveAnswer(readDraft(org, id), ({ state }) => (state === 'open' ? 30 : 300));
  const now = useNow();
  const isOpen = draft.state === 'open';
  return (
    <>
      <VerdictLine
        kind="Draft"
        subject={draft.subject}
        context={org}
        state={stateOfDraft(draft, now)}
        sentence={<Text>{draftSentence(draft, now)}</Text>}
        actions={<Writes org={org} writes={decisions(org, draft, now)} />}
        facts={[
          <span key="drafted">
            drafted <Time at={draft.drafted_at} /> for <Text>{draft.drafted_by}</Text>
          </span>,
          <span key="agent">
            by «<Text>{agentName(draft)}</Text>»
          </span>,
          <span key="until">
            can be confirmed until <Time at={draft.expires_at} />
          </span>,
        ]}
      />
      {draft.made && (
        <Panel title="What was written">
          <Made made={draft.made} />
        </Panel>
      )}
      {isOpen && (
        <Panel title="What would change" note={KIND_WORDS[draft.kind]}>
          <p className={styles['warning']}>
            The agent wrote what stands beside the bar. Nobody has checked it: read it as you would read a text of a
            stranger.
          </p>
          {draft.changes.length === 0 && draft.problem === null ? (
            <p>Nothing would change: the record says the same already.</p>
          ) : (
            draft.changes.map((change) => <Change key={change.field} change={change} />)
          )}
        </Panel>
      )}
      <Panel
        title="Whole request"
        note={
          <>
            {draft.request.method} <Text>{draft.request.path}</Text>
          </>
        }
      >
        <div className={styles['foreign']}>
          <Json value={draft.request.body} what="As the agent drafted it" />
        </div>
      </Panel>
      <Raw value={draft} path={`/drafts/${org}/${id}`} />
    </>
  );
}

const Made = ({ made: { type, name, version, html_url: url } }: { made: NonNullable<Draft['made']> }) => (
  <KeyValues
    rows={[
      ['Record', type],
      [
        'Name',
        type === 'attestation' ? (
          <Id key="id" what="attestation">
            {name}
          </Id>
        ) : (
          <Text key="name">{name}</Text>
        ),
      ],
      ['Version', version],
      [
        'Page',
        <OutLink key="page" href={url}>
          the record
        </OutLink>,
      ],
    ]}
  />
);
