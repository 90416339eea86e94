# Looks keys up with Puppet's own library, each with fresh caches: ruby lookups.rb FOLDER JOBS.json RESULTS.json
#
# FOLDER/NUMBER/environments/production is the tree of job NUMBER. A result has a value, or the message of an error.
require 'puppet'
require 'json'

folder, jobs, out = ARGV
Puppet.initialize_settings(["--confdir=#{folder}/conf", "--vardir=#{folder}/var", '--log_level=crit'])
Puppet::Util::Log.level = :crit

def plain(value)
  case value
  when Hash then value.to_h { |key, item| [key.to_s, plain(item)] }
  when Array then value.map { |item| plain(item) }
  when Puppet::Pops::Types::PSensitiveType::Sensitive then { '$sensitive' => plain(value.unwrap) }
  when Float then value.nan? || value.infinite? ? { '$float' => value.to_s } : value
  else value
  end
end

def looked_up(folder, number, job)
  root = "#{folder}/#{job['tree'] || number}/environments"
  global = job['hiera_config'] ? "#{root}/production/#{job['hiera_config']}" : "#{folder}/none.yaml"
  Puppet[:hiera_config] = global
  loader = Puppet::Environments::Directories.new(root, [])
  Puppet.override(environments: loader) do
    environment = loader.get(:production)
    facts = Puppet::Node::Facts.new(job['node'], job['facts'])
    compiler = Puppet::Parser::Compiler.new(Puppet::Node.new(job['node'], environment: environment, facts: facts))
    Puppet.override(current_environment: environment, loaders: Puppet::Pops::Loaders.new(environment)) do
      scope = filled(compiler.topscope, job)
      job['keys'].to_h { |key| [key, one(scope, key, job['merge'])] }
    end
  end
end

# The variables of a node as in an agent's run; facts that are null are empty texts.
def filled(scope, job)
  own = %w[trusted facts environment server_facts]
  job['facts'].each { |name, value| scope[name] = value.nil? ? '' : value unless own.include?(name) }
  scope.set_facts(job['facts'])
  scope.set_trusted(job['trusted'])
  scope['environment'] = 'production'
  scope
end

def one(scope, key, merge)
  asked = Puppet::Pops::Lookup::Invocation.new(scope)
  missing = Object.new
  value = Puppet::Pops::Lookup.lookup(key, nil, missing, true, merge, asked)
  value.equal?(missing) ? { 'missing' => true } : { 'value' => plain(value) }
rescue StandardError, SystemStackError => e
  { 'error' => e.message }
end

results = JSON.parse(File.read(jobs)).each_with_index.map do |job, number|
  looked_up(folder, number, job)
rescue StandardError => e
  job['keys'].to_h { |key| [key, { 'error' => e.message }] }
end
File.write(out, JSON.generate(results))
