import { useState } from 'react';
import { useAnswer } from '../../client/live.ts';
import { Waiting } from '../../parts/page/panel.tsx';
import { Code } from '../../parts/text/code.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { readMessages } from '../routes.ts';
import styles from './action.module.css';

interface MessageProps {
  params: ParamsOf<'action'>;
  cursor: string | undefined;
  /** Id of the delivery. */
  id: string;
}

/** What a delivery sends, folded. It is read when it is opened. */
export function Message(props: MessageProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles['answer']} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Message</summary>
      {isOpen && (
        <Waiting rows={4}>
          <Sent {...props} />
        </Waiting>
      )}
    </details>
  );
}

function Sent({ params, cursor, id }: MessageProps) {
  const { deliveries } = useAnswer(readMessages(params, cursor));
  const found = deliveries.find((one) => one.id === id);
  if (!found)
    return <p className={styles['quiet']}>The delivery is no longer on this page of the list. Reload the page.</p>;
  const { message } = found;
  if (!message) {
    return (
      <p className={styles['quiet']}>
        The service makes messages from the words of the event. Those were erased, so the message cannot be shown.
      </p>
    );
  }
  return (
    <div className={styles['message']}>
      <p className={styles['quiet']}>
        The service keeps the words of the event and makes the message of them at each attempt. This is the message as
        it makes it now.
      </p>
      {message.subject !== undefined && <Code what="Subject">{message.subject}</Code>}
      {message.content_type === 'application/json' ? (
        <Code what="Body, laid out for reading" wrap>
          {JSON.stringify(JSON.parse(message.text), null, 2)}
        </Code>
      ) : (
        <Code what="Text" wrap>
          {message.text}
        </Code>
      )}
    </div>
  );
}
