const HEAD = '// Generated from docs/openapi.json. Do not edit.\n';
const METHODS = ['get', 'post', 'patch', 'delete'];

/**
 * Generates the types for packages/client. Existing generators need the TypeScript 5 compiler API, which TypeScript 7
 * does not have.
 * @param document the parsed docs/openapi.json
 */
export function clientTypes(document) {
  const named = { ...document.components?.schemas, WebhookPayload: payloadOf(document) };
  const schemas = Object.entries(named).map(([name, schema]) => declaration(name, schema));
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
  );
  const types = operations.map(({ operation }) => operationType(operation));
  const facts = operations.map(
    ({ path, method, operation }) =>
      `  ${operation.operationId}: { method: '${method.toUpperCase()}', path: '${path}', keyed: ${isKeyed(operation)}, text: ${isText(operation)} },\n`,
  );
  return [
    HEAD,
    ...schemas,
    `/** The input and the result of each operation. */\nexport interface Operations {\n${types.join('')}}\n`,
    `/** How to call each operation. \`keyed\`: accepts an Idempotency-Key. \`text\`: the response is not JSON. */\nexport const OPERATIONS = {\n${facts.join('')}} as const;\n`,
  ].join('\n');
}

function payloadOf({ webhooks }) {
  const body = webhooks?.['change.confirmed']?.post?.requestBody;
  return body?.content['application/json']?.schema ?? {};
}

function declaration(name, schema) {
  const comment = '$ref' in schema ? '' : docComment(schema.description, '');
  return `${comment}export type ${name} = ${typeOf(schema, '')};\n`;
}

function operationType(operation) {
  const parameters = operation.parameters ?? [];
  const parts = [
    ...namedParameters('path', parameters),
    ...namedParameters('query', parameters),
    ...bodyOf(operation.requestBody),
    `    result: ${resultOf(operation)};\n`,
  ];
  return `${docComment(operation.summary, '  ')}  ${operation.operationId}: {\n${parts.join('')}  };\n`;
}

function namedParameters(place, parameters) {
  const placed = parameters.filter((parameter) => parameter.in === place);
  if (placed.length === 0) return [];
  const fields = placed.map(({ name, required, schema = {}, description }) =>
    field(
      name,
      required ?? false,
      '$ref' in schema ? schema : { ...schema, ...(description && { description }) },
      '      ',
    ),
  );
  const optional = placed.every((parameter) => !parameter.required);
  return [`    ${place}${optional ? '?' : ''}: {\n${fields.join('')}    };\n`];
}

function bodyOf(body) {
  const schema = body?.content['application/json']?.schema;
  return schema ? [`    body${body.required ? '' : '?'}: ${typeOf(schema, '    ')};\n`] : [];
}

/** The type is `undefined` if the response has no body, and `string` if it is not JSON. */
function resultOf(operation) {
  if (isText(operation)) return 'string';
  const results = successesOf(operation)
    .map(({ content }) => content?.['application/json']?.schema)
    .map((schema) => (schema ? typeOf(schema, '    ') : 'undefined'));
  return [...new Set(results)].join(' | ');
}

function isText(operation) {
  return successesOf(operation).some(({ content }) => content && !('application/json' in content));
}

function successesOf({ responses }) {
  const all = Object.entries(responses ?? {});
  return all.filter(([status]) => /^2\d\d$/.test(status)).map(([, response]) => response);
}

function isKeyed({ parameters }) {
  return (parameters ?? []).some((parameter) => parameter.name === 'Idempotency-Key');
}

function typeOf(schema, indent) {
  if ('$ref' in schema) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema['x-extensible-enum']) return knownValues(schema);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((choice) => typeOf(choice, indent)).join(' | ');
  if (schema.allOf) return schema.allOf.map((part) => typeOf(part, indent)).join(' & ');
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => plainType(type, schema, indent)).join(' | ');
}

/** Responses can contain values from later versions, but requests cannot. */
function knownValues(schema) {
  const values = schema['x-extensible-enum'].map((value) => JSON.stringify(value));
  const others = schema.pattern === undefined ? ['(string & Record<never, never>)'] : [];
  const orNull = [schema.type].flat().includes('null') ? ['null'] : [];
  return [...values, ...others, ...orNull].join(' | ');
}

function plainType(type, schema, indent) {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = typeOf(schema.items ?? {}, indent);
      return /[|&]/.test(item) ? `(${item})[]` : `${item}[]`;
    }
    case 'object': {
      const required = new Set(schema.required);
      const fields = Object.entries(schema.properties ?? {}).map(([name, property]) =>
        field(name, required.has(name), property, `${indent}  `),
      );
      return fields.length === 0 ? 'Record<string, unknown>' : `{\n${fields.join('')}${indent}}`;
    }
    default:
      return 'unknown';
  }
}

function field(name, required, schema, indent) {
  const comment = '$ref' in schema ? '' : docComment(schema.description, indent);
  return `${comment}${indent}${name}${required ? '' : '?'}: ${typeOf(schema, indent)};\n`;
}

function docComment(text, indent) {
  return text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n` : '';
}
