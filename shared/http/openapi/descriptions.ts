export interface SchemaNode {
  description?: string;
  properties?: Record<string, SchemaNode>;
  [keyword: string]: unknown;
}

interface ParameterNode {
  name: string;
  in?: string;
  description?: string;
  required?: boolean;
  allowEmptyValue?: boolean;
  schema?: SchemaNode;
}

interface OperationNode {
  operationId: string;
  parameters?: ParameterNode[];
  requestBody?: object;
  responses: object;
}

export interface DocumentNode {
  paths?: Record<string, object>;
  components?: { schemas?: Record<string, SchemaNode> };
}

/** Lists the operations of a document. */
export const operationNodes = ({ paths = {} }: DocumentNode): OperationNode[] =>
  Object.values(paths).flatMap((item) =>
    Object.values(item).filter((value): value is OperationNode => typeof value === 'object' && 'operationId' in value),
  );

/**
 * Adds descriptions to the parameters of a document that have none (rules/requests.md#descriptions-of-fields). Changes the
 * document.
 * @param texts by name of the parameter, or by `operation.name`
 */
export function describeParameters(document: DocumentNode, texts: Readonly<Record<string, string>>): void {
  for (const { operationId, parameters = [] } of operationNodes(document)) {
    for (const parameter of parameters) {
      const text = texts[`${operationId}.${parameter.name}`] ?? texts[parameter.name];
      if (parameter.description === undefined && text !== undefined) parameter.description = text;
    }
  }
}
