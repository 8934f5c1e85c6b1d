import { commandsFor, type Place } from '../model/commands.ts';
import { Icon } from '../parts/control/icons.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Code } from '../parts/text/code.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { missingOf, slotName } from './model/trail.ts';
import type { Trail } from './operations.ts';
import styles from './trail.module.css';

/** What the template asks for and nobody reported, each with the command that reports it. */
export function Missing({ trail, place }: { trail: Trail; place: Place }) {
  const missing = missingOf(trail);
  if (missing.length === 0) return null;
  return (
    <Panel title="Missing" note="what the template asks for and nobody reported">
      <ul className={styles['todo']}>
        {missing.map((one) => (
          <li key={`${one.scope} ${one.name} ${one.type}`}>
            <details>
              <summary>
                <State state="missing">
                  <Text>{one.name === null ? (one.scope ?? '') : slotName(one.scope, one.name)}</Text>
                </State>
                <span className={styles['type']}>{one.type === '*' ? 'any type' : <Text>{one.type}</Text>}</span>
                <span className={styles['how']}>
                  How to report it <Icon name="down" />
                </span>
              </summary>
              <div className={styles['commands']}>
                {commandsFor(one, place).map(({ what, text }) => (
                  <Code key={what} what={what} wrap>
                    {text}
                  </Code>
                ))}
              </div>
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
