import { TestEnvironment } from 'jest-environment-node';
import { SuiteResources } from './dist/suite-resources.js';

/** Gives each test file its {@link SuiteResources} and ends them after the file's last hook. */
export default class SuiteEnvironment extends TestEnvironment {
  #resources;

  async setup() {
    await super.setup();
    this.#resources = new SuiteResources();
    this.global.suiteResources = this.#resources;
  }

  async handleTestEvent(event) {
    if (event.name === 'run_finish') await this.#resources.end();
  }

  async teardown() {
    // A file that failed to load never finishes its run.
    await this.#resources.end();
    await super.teardown();
  }
}
