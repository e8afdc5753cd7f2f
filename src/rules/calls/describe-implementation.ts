import type { PlanImplementation } from '../../contracts/plan.js';

export function describeImplementation(implementation: PlanImplementation): string {
  switch (implementation.kind) {
    case 'script': {
      const { interpreter, path } = implementation.script;
      return [...interpreter, path].join(' ');
    }
    case 'mcp':
      return `${implementation.mcp.tool} of ${implementation.mcp.server.name}`;
    case 'api': {
      const { method, base_url, path } = implementation.api;
      return `${method} ${base_url.replace(/\/$/, '')}${path}`;
    }
    case 'model': {
      const { name, script } = implementation.model;
      return script ? [...script.interpreter, script.path].join(' ') : `the model ${name}`;
    }
  }
}
