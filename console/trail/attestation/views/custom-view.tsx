import { useQuery } from '@tanstack/react-query';
import { read } from '../../../client/query-client.ts';
import { type as customType } from '../../../evidence/operations.ts';
import { PageLink } from '../../../parts/link/link.tsx';
import { KeyValues } from '../../../parts/page/key-values.tsx';
import { Json } from '../../../parts/text/json.tsx';
import { State } from '../../../parts/text/state.tsx';
import { Text } from '../../../parts/text/text.tsx';
import type { Attestation } from '../../operations.ts';
import { customView } from '../model/custom.ts';
import { Bounded } from './bounded.tsx';
import { Notice, View } from './view.tsx';
import styles from './views.module.css';

/** Data of a custom type: how its rules decided, the rows that the type asks for, and the data. */
export function CustomView({ attestation, org }: { attestation: Attestation; org: string }) {
  const type = attestation.attestation_type.slice('custom:'.length);
  const { data: definition, isError } = useQuery(read(customType, { org, name: type }));
  const { sentence, rows, rules } = customView(attestation, definition);
  return (
    <View title="Result" sentence={sentence}>
      {isError && <Notice>The type could not be read, so its rules and rows have no names here.</Notice>}
      {rules.length > 0 && (
        <Bounded rows={rules} textOf={({ program }) => program ?? ''} what="rules">
          {({ program, isMet, reason }) => (
            <div className={styles['line']}>
              <State state={isMet ? 'compliant' : 'non-compliant'}>{isMet ? 'Met' : 'Not met'}</State>
              <code>
                <Text>{program ?? 'a rule'}</Text>
              </code>
              {reason !== null && (
                <span className={styles['quiet']}>
                  <Text>{reason}</Text>
                </span>
              )}
            </div>
          )}
        </Bounded>
      )}
      <KeyValues
        rows={[
          ...rows.map(
            ({ name, value, expression }) =>
              [
                name,
                value === null ? (
                  <span key={name} className={styles['quiet']}>
                    the console does not evaluate <code>{expression}</code>
                  </span>
                ) : (
                  <Text key={name}>{value}</Text>
                ),
              ] as const,
          ),
          [
            'Custom type',
            <PageLink key="type" page="type" params={{ org, type }}>
              <Text>{type}</Text>
            </PageLink>,
          ],
        ]}
      />
      <Json value={attestation['attestation_data']} what="Data" />
    </View>
  );
}
