import { z } from 'zod';
import { describeGraph } from '../planning/graph/describe-graph.js';
import { drawAbility as draw } from '../planning/graph/draw-ability.js';
import { ability } from './concerns.js';
import { findIn } from './describe-ability.js';
import * as fields from './fields.js';
import { operation } from './operation.js';

export const drawAbility = operation({
  summary: 'The steps of an ability as a Mermaid flowchart.',
  right: 'read',
  concerns: ability,
  at: 'GET /v1/abilities/{id}/graph',
  input: z.strictObject({ id: fields.id, environment: fields.environment.optional() }),
  answers: {
    200: { means: 'The drawing.', schema: z.looseObject({ ability: z.string(), mermaid: z.string() }) },
  },
  async run(project, _, { id, environment: requested }) {
    const { registry, environment, variables } = await findIn(project, id, requested);
    const { subject, problem } = describeGraph(registry, id, environment, requested !== undefined, variables);
    const { version, environment: drawnFor } = subject;
    return { ability: id, version, environment: drawnFor, tried_in: environment, mermaid: draw(subject), problem };
  },
});
