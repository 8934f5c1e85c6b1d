import { type DocumentNode, operationNodes, type SchemaNode } from './descriptions.ts';

/**
 * Says in the document that a body without required fields is empty or has a known field
 * (rules/requests.md#unknown-fields). Changes the document.
 */
export function requireKnownFields(document: DocumentNode): void {
  for (const { requestBody } of operationNodes(document)) {
    // The library has written the document by the standard of OpenAPI.
    const { content } = (requestBody ?? {}) as { content?: Record<string, { schema: BodySchema }> };
    const { $ref, anyOf = [] } = content?.['application/json']?.schema ?? {};
    const name = ($ref ?? anyOf.find((form) => form.$ref)?.$ref)?.split('/').at(-1) ?? '';
    const schema = document.components?.schemas?.[name];
    if (schema && ignoresUnknownFields(schema)) {
      const fields = Object.keys(schema.properties ?? {});
      schema['anyOf'] = [{ maxProperties: 0 }, ...fields.map((field) => ({ required: [field] }))];
    }
  }
}

/** The schema of a JSON body: a component, or either the component or `null`. */
interface BodySchema {
  $ref?: string;
  anyOf?: { $ref?: string }[];
}

const ignoresUnknownFields = ({ properties, required, additionalProperties }: SchemaNode): boolean =>
  properties !== undefined && required === undefined && additionalProperties === undefined;
