import { type DocumentNode, operationNodes } from './descriptions.ts';

/**
 * Says in the document what an empty value of a query parameter means: it counts as absent, so a required parameter needs a
 * value (rules/requests.md#query-parameters). Changes the document.
 */
export function describeEmptyValues(document: DocumentNode): void {
  for (const parameter of operationNodes(document).flatMap(({ parameters = [] }) => parameters)) {
    if (parameter.in !== 'query') continue;
    if (!parameter.required) parameter.allowEmptyValue = true;
    else if (parameter.schema?.['type'] === 'string') parameter.schema = { minLength: 1, ...parameter.schema };
  }
}
